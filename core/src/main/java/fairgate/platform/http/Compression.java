package fairgate.platform.http;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/// The gzip form of a reply's body. It is computed when the first client accepts it and is then
/// kept with the reply. Thread-safe; two threads may compute it at the same time.
final class Compression {
  /// Bodies up to this many bytes fit into one packet and are never compressed.
  static final int MIN_BYTES = 1_400;

  private volatile @Nullable Compressed compressed;

  /// @param gzip null when it would not be shorter, for example for a picture
  private record Compressed(@Nullable Buffer gzip) {}

  /// The gzip of the body; null when it would not be shorter.
  @Nullable Buffer of(Buffer plain) {
    Compressed known = compressed;
    if (known == null) {
      byte[] zipped = zip(plain.getBytes());
      known = new Compressed(zipped.length < plain.length() ? Buffer.buffer(zipped) : null);
      compressed = known;
    }
    return known.gzip;
  }

  /// Whether the client accepts gzip (RFC 9110, section 12.5.3). An entry for gzip takes precedence
  /// over `*`; a quality of zero refuses it.
  ///
  /// @param headers all values of `Accept-Encoding`
  static boolean isAccepted(List<String> headers) {
    boolean any = false;
    for (String header : headers) {
      for (String item : header.split(",", -1)) {
        String[] parts = item.split(";", -1);
        String coding = parts[0].strip().toLowerCase(Locale.ROOT);
        if (coding.equals("gzip") || coding.equals("x-gzip")) {
          return quality(parts) > 0;
        }
        if (coding.equals("*")) {
          any = quality(parts) > 0;
        }
      }
    }
    return any;
  }

  /// An invalid quality counts as zero: the plain body is always acceptable.
  private static double quality(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
      if (parameter.startsWith("q=")) {
        try {
          return Double.parseDouble(parameter.substring(2).strip());
        } catch (NumberFormatException _) {
          return 0;
        }
      }
    }
    return 1;
  }

  private static byte[] zip(byte[] bytes) {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream(bytes.length / 2 + 64);
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to a byte array cannot fail", e);
    }
    return zipped.toByteArray();
  }
}
