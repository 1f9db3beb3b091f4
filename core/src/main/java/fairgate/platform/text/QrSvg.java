package fairgate.platform.text;

import io.nayuki.qrcodegen.QrCode;

/// Draws QR codes as SVG: one path on a white ground, with error correction M and the quiet zone of
/// four modules that readers need.
public final class QrSvg {
  private static final int QUIET = 4;

  private QrSvg() {}

  /// An `svg` element.
  ///
  /// @param attributes of the element, escaped; such as `class="qr"`
  public static String of(String text, String attributes) {
    QrCode code = QrCode.encodeText(text, QrCode.Ecc.MEDIUM);
    int size = code.size + 2 * QUIET;
    return """
    <svg %s viewBox="0 0 %d %d" shape-rendering="crispEdges">\
    <rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>
    """
        .formatted(attributes, size, size, size, size, path(code));
  }

  /// One rectangle for each horizontal run of dark modules.
  private static StringBuilder path(QrCode code) {
    StringBuilder path = new StringBuilder(code.size * code.size * 3);
    for (int y = 0; y < code.size; y++) {
      int x = 0;
      while (x < code.size) {
        int end = x;
        while (end < code.size && code.getModule(end, y)) {
          end++;
        }
        if (end > x) {
          path.append('M').append(x + QUIET).append(' ').append(y + QUIET);
          path.append('h').append(end - x).append("v1h-").append(end - x).append('z');
        }
        x = end + 1;
      }
    }
    return path;
  }
}
