package fairgate.redeem;

import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Dictionary;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.QrSvg;
import fairgate.redeem.code.CodeAlphabet;
import gg.jte.html.HtmlContent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Renders the claim page: the form, its problems, and the code.
record ClaimPage(PageFrame frame, RedeemConfig config) {
  private static final String BROWSER_TEXTS = "claim.js.";

  /// The reason for a claim without a code.
  ///
  /// @param invalid whether the order number is marked as wrong
  /// @param platforms platforms for choice; empty without a choice
  /// @param appeal the address of the appeal; empty without one
  record Problem(
      String name, String more, boolean invalid, List<Platform> platforms, String appeal) {}

  record Platform(String id, String name) {}

  Reply form(
      Visit visit,
      int status,
      ClaimForm form,
      List<RedeemProduct> choices,
      Optional<ClaimProblem> problem) {
    Optional<Problem> shown = problem.map(each -> problem(visit, each));
    return reply(
        visit,
        status,
        visit.wording().text("claim.title"),
        "claim",
        out ->
            JteclaimGenerated.render(
                out, null, visit.wording(), frame.assets(), form, choices, shown));
  }

  Reply done(Visit visit, ClaimOutcome.Claimed claimed, String order, String product) {
    Wording wording = visit.wording();
    String qr = qr(claimed.code(), wording.text("claim.qr"));
    String duration = duration(wording, claimed);
    String expiry = expiry(wording, claimed);
    return reply(
        visit,
        200,
        wording.text("claim.done.title"),
        "claimed",
        out ->
            JteclaimDoneGenerated.render(
                out, null, wording, frame.assets(), claimed, order, product, qr, duration, expiry));
  }

  private Reply reply(Visit visit, int status, String title, String stage, HtmlContent main) {
    return frame
        .reply(
            visit,
            status,
            PageFrame.Content.of(title, stage, "claim.js", main, data(visit.words()))
                .withSheet("claim.css"))
        // A code is private, and an order number must not appear in another site's logs.
        .header("cache-control", "no-store")
        .header("referrer-policy", "no-referrer");
  }

  private JsonText data(Dictionary words) {
    JsonText texts = JsonText.object();
    for (String key : words.keys()) {
      if (key.startsWith(BROWSER_TEXTS)) {
        texts.put(key.substring(BROWSER_TEXTS.length()), words.text(key));
      }
    }
    JsonText shapes = JsonText.object();
    config.shapes().patterns().forEach(shapes::put);
    return JsonText.object()
        .put("shapes", shapes)
        .put("alphabet", CodeAlphabet.SYMBOLS)
        .put("mask", config.mask().toString())
        .put("words", texts);
  }

  /// The display name of a platform, if the dictionary has one.
  private static String name(Dictionary words, String platform) {
    String key = "claim.js.platform." + platform;
    return words.keys().contains(key) ? words.text(key) : platform;
  }

  private static Problem problem(Visit visit, ClaimProblem problem) {
    Wording wording = visit.wording();
    String when =
        problem
            .retryAfter()
            .map(rest -> visit.words().text("error.retry", "time", wording.span(rest)))
            .orElse("");
    List<String> more =
        new ArrayList<>(List.of(wording.text("claim.no." + problem.name() + ".more"), when));
    more.add(problem.told().reasonText(visit.language()));
    more.addAll(problem.told().helpTexts(visit.language()));
    return new Problem(
        problem.name(),
        wording.sentences(more),
        problem.isOfNumber(),
        problem.platforms().stream().map(id -> new Platform(id, name(visit.words(), id))).toList(),
        problem.appeal());
  }

  private static String duration(Wording wording, ClaimOutcome.Claimed claimed) {
    Integer days = claimed.durationDays();
    return days == null
        ? wording.text("claim.for_ever")
        : wording.words().text("claim.days", "n", wording.number(days));
  }

  /// The time is that of the shop; the browser converts it to the visitor's time zone.
  private static String expiry(Wording wording, ClaimOutcome.Claimed claimed) {
    Instant at = claimed.expiresAt();
    if (at == null) {
      String key = claimed.durationDays() == null ? "claim.never" : "claim.from_first_use";
      return wording.text(key);
    }
    return wording.time(at);
  }

  /// @param label text for screen readers, from our own dictionary
  private static String qr(String code, String label) {
    return QrSvg.of(code, "class=\"qr\" role=\"img\" aria-label=\"" + label + '"');
  }
}
