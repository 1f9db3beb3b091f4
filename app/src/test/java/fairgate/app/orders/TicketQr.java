package fairgate.app.orders;

import com.google.zxing.ChecksumException;
import com.google.zxing.FormatException;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.qrcode.decoder.Decoder;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the QR codes of a page as a telephone does.
public final class TicketQr {
  private static final Pattern QR =
      Pattern.compile(
          "viewBox=\"0 0 (\\d+) \\d+\"[^>]*><rect[^>]*>(?:</rect>)?<path d=\"([^\"]+)\"");
  private static final Pattern RUN = Pattern.compile("M(\\d+) (\\d+)h(\\d+)");
  private static final int QUIET = 4;

  private TicketQr() {}

  /// The texts of the codes in this HTML.
  public static List<String> of(String html) {
    return QR.matcher(html)
        .results()
        .map(found -> decoded(Integer.parseInt(found.group(1)) - 2 * QUIET, found.group(2)))
        .toList();
  }

  private static String decoded(int size, String path) {
    BitMatrix modules = new BitMatrix(size);
    Matcher runs = RUN.matcher(path);
    while (runs.find()) {
      modules.setRegion(
          Integer.parseInt(runs.group(1)) - QUIET,
          Integer.parseInt(runs.group(2)) - QUIET,
          Integer.parseInt(runs.group(3)),
          1);
    }
    try {
      return new Decoder().decode(modules).getText();
    } catch (ChecksumException | FormatException e) {
      throw new IllegalStateException(e);
    }
  }
}
