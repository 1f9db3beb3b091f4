package fairgate.prove.report;

import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import java.util.Locale;

/// The result of a proof as one self-contained HTML page.
public final class ProofPage {
  private ProofPage() {}

  /// The page.
  ///
  /// @param when for the heading
  public static String html(ProofResult result, String when) {
    StringOutput page = new StringOutput();
    JteproofGenerated.render(new OwaspHtmlTemplateOutput(page), null, result, when);
    return page.toString();
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String seconds(long millis) {
    return String.format(Locale.ROOT, "%.1f s", millis / 1_000.0);
  }
}
