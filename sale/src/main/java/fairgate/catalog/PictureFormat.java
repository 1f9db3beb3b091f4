package fairgate.catalog;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/// The formats of uploaded pictures. A format is recognised by the first bytes of a file, and a
/// file that was cut off by its end. Nothing is decoded.
enum PictureFormat {
  PNG("image/png"),
  JPEG("image/jpeg"),
  GIF("image/gif"),
  WEBP("image/webp");

  private static final int LONGEST_HEAD = 16;
  private static final int RIFF_HEAD = 8;

  /// The last chunk with its checksum, which never differs.
  private static final String PNG_END = "IEND\u00aeB`\u0082";

  private static final byte GIF_END = ';';
  private static final String JPEG_END = "\u00ff\u00d9";
  private static final int JPEG_MARK = 0xff;
  private static final int JPEG_SCAN = 0xda;

  private final String type;

  PictureFormat(String type) {
    this.type = type;
  }

  /// The media type.
  String type() {
    return type;
  }

  /// Empty for a file that is none of these pictures.
  static Optional<PictureFormat> of(byte[] file) {
    String head = text(Arrays.copyOf(file, Math.min(LONGEST_HEAD, file.length)));
    if (head.startsWith("\u0089PNG\r\n\u001a\n")) {
      return Optional.of(PNG);
    }
    if (head.startsWith("\u00ff\u00d8\u00ff")) {
      return Optional.of(JPEG);
    }
    if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) {
      return Optional.of(GIF);
    }
    return head.startsWith("RIFF") && head.startsWith("WEBP", RIFF_HEAD)
        ? Optional.of(WEBP)
        : Optional.empty();
  }

  /// Whether the file has the end of its picture. Behind it, telephones append data of their own to
  /// a JPEG, and programs to a PNG, which browsers pass over.
  boolean isComplete(byte[] file) {
    return switch (this) {
      case PNG -> text(file).contains(PNG_END);
      case JPEG -> hasEndOfScan(file);
      case GIF -> file[file.length - 1] == GIF_END;
      case WEBP -> file.length >= RIFF_HEAD + littleEndian(file, RIFF_HEAD / 2);
    };
  }

  /// Whether an end follows the beginning of the scan. The ends before it are those of thumbnails,
  /// which stand in segments; within a scan the two bytes of an end do not occur.
  private static boolean hasEndOfScan(byte[] file) {
    int at = 2;
    while (at + 3 < file.length && Byte.toUnsignedInt(file[at]) == JPEG_MARK) {
      int mark = Byte.toUnsignedInt(file[at + 1]);
      if (mark == JPEG_SCAN) {
        return text(file).indexOf(JPEG_END, at) > 0;
      }
      // A mark may have more than one byte of 0xff in front.
      at += mark == JPEG_MARK ? 1 : 2 + (file[at + 2] & 0xff) * 256 + (file[at + 3] & 0xff);
    }
    return false;
  }

  private static long littleEndian(byte[] file, int at) {
    return Integer.toUnsignedLong(
        ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(at));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
