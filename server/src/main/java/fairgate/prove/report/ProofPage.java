package fairgate.prove.report;

import java.util.Locale;

/// A proof's result as one page that needs nothing else.
public final class ProofPage {
  private ProofPage() {}

  /// @param when for the heading
  public static String html(ProofResult result, String when) {
    return String.format(
        Locale.ROOT,
        "<!doctype html><title>Proof %s</title><pre>%s</pre>",
        when,
        ProofTable.text(result).replace("&", "&amp;").replace("<", "&lt;"));
  }
}
