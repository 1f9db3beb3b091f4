package fairgate.app.pages;

import io.nayuki.qrcodegen.QrCode;

/// A QR code as a drawing that needs neither script nor style: one path on a white ground, with the
/// quiet zone of four modules that readers ask for.
final class QrSvg {
  private static final int QUIET = 4;

  private QrSvg() {}

  /// Draws the text.
  ///
  /// @param label what a screen reader says
  static Html of(String text, String label) {
    QrCode code = QrCode.encodeText(text, QrCode.Ecc.MEDIUM);
    int size = code.size + 2 * QUIET;
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
    return new Html(
        """
        <svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s" shape-rendering="crispEdges">\
        <rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>"""
            .formatted(size, size, Html.escape(label), size, size, path));
  }
}
