package fairgate.catalog;

import static fairgate.platform.http.RouteLimits.RECORD;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Hashes;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Pictures of products that operators have uploaded, in PostgreSQL. A picture is found by the
/// SHA-256 of its bytes, so it never changes. Browsers keep it for ever, and each node some of them
/// in memory.
public final class Pictures {
  public static final int MAX_BYTES = 1_000_000;

  public static final long MAX_TOTAL_BYTES = 200_000_000;

  private static final long MAX_CACHED_BYTES = 32_000_000;
  private static final String PATH = "/pictures/";
  private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

  private final PostgresPictures store;
  private final long maxTotalBytes;

  /// One read at a time for a picture. Absence and failures are not kept.
  private final Cache<String, Reply> replies =
      Caffeine.newBuilder()
          .maximumWeight(MAX_CACHED_BYTES)
          .<String, Reply>weigher((_, reply) -> reply.bodyLength())
          .build();

  public sealed interface Upload {
    /// The picture is stored, now or by an earlier upload.
    ///
    /// @param path its address on this server
    record Stored(String path, String type) implements Upload {}

    /// The file is no PNG, JPEG, WebP or GIF.
    record NotAPicture() implements Upload {}

    /// The file ends before its picture does, as after a download that was cut off.
    record Incomplete() implements Upload {}

    /// The picture does not fit any more.
    record Full() implements Upload {}
  }

  Pictures(PostgresDatabase database) {
    this(database, MAX_TOTAL_BYTES);
  }

  Pictures(PostgresDatabase database, long maxTotalBytes) {
    this.store = new PostgresPictures(database);
    this.maxTotalBytes = maxTotalBytes;
  }

  /// Stores a picture of at most [#MAX_BYTES] bytes. A repeat stores nothing. Blocks.
  public Upload store(byte[] bytes, String actor) {
    Optional<PictureFormat> format = PictureFormat.of(bytes);
    if (format.isEmpty()) {
      return new Upload.NotAPicture();
    }
    if (!format.get().isComplete(bytes)) {
      return new Upload.Incomplete();
    }
    String id = HexFormat.of().formatHex(Hashes.sha256(bytes));
    String type = format.get().type();
    boolean isStored = store.add(id, type, bytes, actor, maxTotalBytes);
    return isStored ? new Upload.Stored(PATH + id, type) : new Upload.Full();
  }

  public List<Route> routes() {
    return List.of(Route.blockingGet("/pictures/{id}", this::one).limits(RECORD.unslotted()));
  }

  @SuppressWarnings("NullAway") // Caffeine keeps nothing where the function returns null.
  private Reply one(Request request) {
    String id = request.pathParam("id");
    @Nullable Reply found = ID.matcher(id).matches() ? replies.get(id, this::read) : null;
    return found == null ? Reply.refuse(ErrorCode.NOT_FOUND) : found;
  }

  private @Nullable Reply read(String id) {
    return store.find(id).map(Pictures::reply).orElse(null);
  }

  /// A picture, which a browser shows as nothing else, whatever its bytes are.
  private static Reply reply(PostgresPictures.Picture picture) {
    return Reply.bytes(200, picture.type(), picture.bytes())
        .header("cache-control", "public, max-age=31536000, immutable")
        .header("content-security-policy", "default-src 'none'; sandbox");
  }

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

    /// Whether the file has the end of its picture. Behind it, telephones append data of their own
    /// to a JPEG, and programs to a PNG, which browsers pass over.
    boolean isComplete(byte[] file) {
      return switch (this) {
        case PNG -> text(file).contains(PNG_END);
        case JPEG -> hasEndOfScan(file);
        case GIF -> file[file.length - 1] == GIF_END;
        case WEBP -> file.length >= RIFF_HEAD + littleEndian(file, RIFF_HEAD / 2);
      };
    }

    /// Whether an end follows the beginning of the scan. The ends before it are those of
    /// thumbnails, which stand in segments; within a scan the two bytes of an end do not occur.
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
}
