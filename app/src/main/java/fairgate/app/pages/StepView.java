package fairgate.app.pages;

import fairgate.account.message.Channel;
import fairgate.catalog.Product;
import fairgate.gate.JoinSteps;
import fairgate.kernel.Decision;
import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import java.util.List;
import java.util.Set;

/// Renders the page of the step before a join.
record StepView(PageFrame frame) {
  /// The facts of the page.
  ///
  /// @param ticket as the browser got it
  /// @param decision the id of the decision on risk
  /// @param needed the step
  /// @param offered the ways on, the step first
  /// @param channels by which codes are sent
  /// @param coded whether a code has been sent to the contact
  /// @param contact as it was entered
  /// @param message what has happened; empty for nothing
  /// @param problem what went wrong; empty for nothing
  record Facts(
      Product product,
      String ticket,
      String decision,
      JoinStep needed,
      List<JoinStep> offered,
      Set<Channel> channels,
      boolean coded,
      String contact,
      String message,
      String problem) {}

  /// What the template shows.
  ///
  /// @param query the parameters of the forms
  /// @param ways the words of the ways on, the step first
  /// @param behind whether the proof of work gives a place behind the others
  /// @param kind `phone`, `email` or `contact`: where codes can be sent
  record Shown(
      String product,
      String path,
      String query,
      String next,
      List<String> ways,
      boolean behind,
      String kind,
      boolean coded,
      String contact,
      String appeal,
      String message,
      String problem) {
    /// Whether a way on works without JavaScript.
    boolean isPlain() {
      return ways.contains(JoinStep.CODE.word());
    }
  }

  /// Where the visitor goes after the step.
  static String back(Request request, ProductId sale) {
    String next = ReturnPath.of(request);
    return next.isEmpty() ? "/p/" + sale.value() + "#join" : next;
  }

  Reply page(Visit visit, int status, Facts facts) {
    Product product = facts.product();
    String path = "/p/" + product.id().value() + "/step";
    String next = ReturnPath.of(visit.request());
    Shown shown =
        new Shown(
            product.details().name(),
            path,
            "?" + JoinSteps.TICKET + "=" + facts.ticket(),
            next,
            facts.offered().stream().map(JoinStep::word).toList(),
            !JoinSteps.countsFor(facts.needed(), JoinStep.WORK),
            kind(facts.channels()),
            facts.coded(),
            facts.contact(),
            Decision.APPEAL_PATH + facts.decision(),
            facts.message(),
            facts.problem());
    JsonText data =
        JsonText.object()
            .put("sale", product.id().value())
            .put("ticket", facts.ticket())
            .put("next", back(visit.request(), product.id()));
    return frame
        .reply(
            visit,
            status,
            PageFrame.Content.of(
                    visit.wording().text("prove.title"),
                    "prove",
                    "step.js",
                    out -> JtestepGenerated.render(out, null, visit.wording(), shown),
                    data)
                .withSheet("step.css"))
        .header("cache-control", "no-store");
  }

  private static String kind(Set<Channel> channels) {
    if (channels.size() > 1) {
      return "contact";
    }
    return channels.contains(Channel.SMS) ? "phone" : "email";
  }
}
