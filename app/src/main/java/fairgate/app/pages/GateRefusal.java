package fairgate.app.pages;

import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.room.check.GateCheckRoutes;
import java.util.Optional;

/// The page of a request that the check before a shop refuses, such as one for another host. It has
/// no assets and no links, because the browser would ask the shop's host for them.
final class GateRefusal {
  private static final String TEXTS = "gate.refused.";

  private GateRefusal() {}

  /// The page; empty for all other refusals.
  static Optional<Reply> page(Visit visit, int status, Refusal refusal, PageSettings settings) {
    if (!visit.request().path().equals(GateCheckRoutes.PATH)
        || !(refusal.details().get("reason") instanceof String reason)
        || !visit.words().keys().contains(TEXTS + reason)) {
      return Optional.empty();
    }
    String setting = visit.wording().text(TEXTS + reason);
    String page =
        Templates.render(
            out -> JtegateRefusalGenerated.render(out, null, visit.wording(), setting));
    return Optional.of(
        Reply.html(status, page)
            .header("content-security-policy", settings.policy())
            .header("content-language", visit.language().tag()));
  }
}
