package fairgate.prove.report;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// A proof's result as one page that needs nothing else.
public final class ProofPage {
  private static final String TEMPLATE = "proof.html";

  private ProofPage() {}

  /// The whole page.
  ///
  /// @param when for the heading
  public static String html(ProofResult result, String when) {
    StringBuilder body = new StringBuilder();
    ProofResult.Numbers n = result.numbers();
    body.append(
        format(
            "<p class=\"facts\">%s; seed %d, %d servers on %s, %d s: %,d sales, %,d replies,"
                + " %,d purchases granted, %,d orders.</p>",
            text(when),
            n.seed(),
            n.nodes(),
            text(n.on()),
            n.seconds(),
            n.sales(),
            n.replies(),
            n.accepted(),
            n.orders()));
    body.append(
        format(
            "<p class=\"verdict %s\">%s</p>",
            result.verdict() == ProofResult.Verdict.HELD ? "good" : "bad",
            text(result.verdict().sentence())));
    result
        .reasons()
        .forEach(reason -> body.append(format("<p class=\"bad\">%s</p>", text(reason))));
    body.append(
        format("<p>To repeat it: <code class=\"command\">%s</code></p>", text(result.command())));
    body.append("<h2>Purchases granted, and what was done meanwhile</h2>")
        .append(Timeline.svg(result.accepts(), result.events()));
    invariants(body, result.verdicts());
    faults(body, result.faults());
    story(body, result.events());
    return template().replace("@body@", body);
  }

  private static void invariants(StringBuilder body, Map<Invariant, Verdict> verdicts) {
    body.append("<h2>What has to hold</h2><table><thead><tr><th></th><th>invariant</th>")
        .append("<th class=\"number\">facts compared</th><th class=\"number\">excused</th>")
        .append("<th></th></tr></thead><tbody>");
    verdicts.forEach(
        (invariant, verdict) -> {
          body.append(
              format(
                  "<tr><td>%s</td><td>%s%s</td><td class=\"number\">%,d</td>"
                      + "<td class=\"number\">%,d</td><td class=\"%s\">%s</td></tr>",
                  invariant,
                  text(invariant.meaning()),
                  examples(verdict),
                  verdict.facts(),
                  verdict.excused(),
                  verdict.broken() > 0 ? "bad" : verdict.facts() > 0 ? "good" : "none",
                  verdict.word()));
        });
    body.append(
            "</tbody></table><p class=\"facts\">Excused is what Redis had been robbed of before")
        .append(" the ledger had learnt of it: no server can know it any more.</p>");
  }

  private static String examples(Verdict verdict) {
    if (verdict.examples().isEmpty()) {
      return "";
    }
    StringBuilder list = new StringBuilder("<ul class=\"bad\">");
    verdict.examples().forEach(one -> list.append("<li>").append(text(one)).append("</li>"));
    return list.append("</ul>").toString();
  }

  private static void faults(StringBuilder body, Map<String, Integer> faults) {
    body.append("<h2>What was done to it</h2><table><tbody>");
    faults.forEach(
        (what, times) ->
            body.append(
                format("<tr><td class=\"number\">%,d</td><td>%s</td></tr>", times, text(what))));
    body.append("</tbody></table>");
  }

  private static void story(StringBuilder body, List<ProofResult.Moment> events) {
    body.append("<h2>The story</h2><table><tbody>");
    for (ProofResult.Moment event : events) {
      body.append(
          format(
              "<tr><td class=\"number\">%.1f s</td><td>%s</td></tr>",
              event.at() / 1_000.0, text(event.text())));
    }
    body.append("</tbody></table>");
  }

  private static String text(String plain) {
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  @FormatMethod
  private static String format(@FormatString String pattern, Object... of) {
    return String.format(Locale.ROOT, pattern, of);
  }

  private static String template() {
    try (InputStream in = ProofPage.class.getResourceAsStream(TEMPLATE)) {
      if (in == null) {
        throw new IllegalStateException(TEMPLATE + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
