package fairgate.link;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.platform.text.QrSvg;
import io.nayuki.qrcodegen.QrCode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/// QR codes of short addresses, with a quiet zone of four modules and error correction M.
final class QrCodes {
  private static final int QUIET = 4;
  private static final int PIXELS = 10;
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

  private final Cache<String, byte[]> made = Caffeine.newBuilder().maximumSize(1_000).build();

  byte[] svg(String text) {
    return made.get(
        "svg " + text,
        _ ->
            QrSvg.of(text, "xmlns=\"http://www.w3.org/2000/svg\"")
                .getBytes(StandardCharsets.UTF_8));
  }

  /// One bit a pixel, ten pixels a module.
  byte[] png(String text) {
    return made.get("png " + text, _ -> drawPng(QrCode.encodeText(text, QrCode.Ecc.MEDIUM)));
  }

  /// Nothing but the four chunks a picture in black and white needs (PNG, third edition, 5.6).
  private static byte[] drawPng(QrCode code) {
    int side = (code.size + 2 * QUIET) * PIXELS;
    ByteBuffer rows = ByteBuffer.allocate(side * (1 + (side + 7) / 8));
    for (int y = 0; y < side; y++) {
      rows.put((byte) 0);
      for (int x = 0; x < side; x += 8) {
        int bits = 0;
        for (int i = 0; i < 8; i++) {
          boolean dark = code.getModule((x + i) / PIXELS - QUIET, y / PIXELS - QUIET);
          bits = bits << 1 | (dark ? 0 : 1);
        }
        rows.put((byte) bits);
      }
    }
    byte[] head = ByteBuffer.allocate(13).putInt(side).putInt(side).put((byte) 1).array();
    ByteArrayOutputStream png = new ByteArrayOutputStream();
    png.writeBytes(SIGNATURE);
    chunk(png, "IHDR", head);
    chunk(png, "IDAT", deflate(rows.array()));
    chunk(png, "IEND", new byte[0]);
    return png.toByteArray();
  }

  private static byte[] deflate(byte[] bytes) {
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    try {
      deflater.setInput(bytes);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] part = new byte[4096];
      while (!deflater.finished()) {
        out.write(part, 0, deflater.deflate(part));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static void chunk(ByteArrayOutputStream png, String type, byte[] data) {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    CRC32 crc = new CRC32();
    crc.update(name);
    crc.update(data);
    png.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
    png.writeBytes(name);
    png.writeBytes(data);
    png.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }
}
