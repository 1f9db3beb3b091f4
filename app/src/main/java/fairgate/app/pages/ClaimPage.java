package fairgate.app.pages;

import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.QrSvg;
import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.code.CodeAlphabet;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Renders the claim page: the form, its problems, and the code.
final class ClaimPage {
  private static final String BROWSER_TEXTS = "claim.js.";

  private final PageTemplates templates;
  private final PageFrame frame;
  private final ClaimPageServices services;

  ClaimPage(PageTemplates templates, PageFrame frame, ClaimPageServices services) {
    this.templates = templates;
    this.frame = frame;
    this.services = services;
  }

  Reply form(
      Visit visit,
      int status,
      ClaimForm form,
      List<ClaimPageServices.Choice> choices,
      Optional<ClaimProblem> problem) {
    Map<String, Object> values = new HashMap<>();
    values.put("assets", frame.assets());
    values.put("order", form.text());
    values.put("signature", form.signature());
    values.put("product", product(visit, form, choices));
    values.put("platform", platform(visit, form, problem));
    values.put("problem", problem.map(each -> problem(visit, each)).orElse(Html.NOTHING));
    values.put("invalid", problem.filter(ClaimProblem::isOfNumber).isPresent());
    Html main = templates.fill("claim", visit.words(), values);
    return reply(visit, status, visit.wording().text("claim.title"), "claim", main);
  }

  Reply done(Visit visit, ClaimOutcome.Claimed claimed, String order, String product) {
    Wording wording = visit.wording();
    Map<String, Object> values = new HashMap<>();
    values.put("assets", frame.assets());
    values.put("code", claimed.code());
    values.put("qr", qr(claimed.code(), wording.text("claim.qr")));
    values.put("product_name", product);
    values.put("order", order);
    values.put("again_hidden", claimed.replayed() ? "" : "hidden");
    values.put("duration", duration(wording, claimed));
    values.put("expiry", expiry(wording, claimed));
    Html main = templates.fill("claim-done", visit.words(), values);
    return reply(visit, 200, wording.text("claim.done.title"), "claimed", main);
  }

  private Reply reply(Visit visit, int status, String title, String stage, Html main) {
    String sheet = Html.escape(frame.assets() + "/claim.css");
    Html head = new Html("<link rel=\"stylesheet\" href=\"" + sheet + "\">");
    return frame
        .reply(
            visit,
            status,
            new PageFrame.Content(title, stage, "claim.js", head, main, data(visit.words())))
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
    services.shapes().patterns().forEach(shapes::put);
    return JsonText.object()
        .put("shapes", shapes)
        .put("alphabet", CodeAlphabet.SYMBOLS)
        .put("mask", services.mask().toString())
        .put("words", texts);
  }

  private Html product(Visit visit, ClaimForm form, List<ClaimPageServices.Choice> choices) {
    if (choices.size() == 1) {
      ClaimPageServices.Choice only = choices.getFirst();
      return templates.fill(
          "claim-product", visit.words(), Map.of("id", only.id(), "name", only.name()));
    }
    if (choices.isEmpty()) {
      // Fairgate's own orders contain their product, and a link may have a product that is not
      // known yet.
      return hidden("product", form.product());
    }
    StringBuilder options = new StringBuilder();
    for (ClaimPageServices.Choice choice : choices) {
      options.append("<option value=\"").append(Html.escape(choice.id())).append('"');
      options.append(choice.id().equals(form.product()) ? " selected>" : ">");
      options.append(Html.escape(choice.name())).append("</option>");
    }
    return templates.fill(
        "claim-products", visit.words(), Map.of("options", new Html(options.toString())));
  }

  private Html platform(Visit visit, ClaimForm form, Optional<ClaimProblem> problem) {
    List<String> platforms = problem.map(ClaimProblem::platforms).orElse(List.of());
    if (platforms.isEmpty()) {
      return hidden("platform", form.platform());
    }
    StringBuilder choices = new StringBuilder();
    for (String platform : platforms) {
      choices.append(
          "<label class=\"pick\"><input type=\"radio\" name=\"platform\" required value=\"");
      choices.append(Html.escape(platform)).append("\"><span>");
      choices.append(Html.escape(name(visit.words(), platform))).append("</span></label>");
    }
    return templates.fill(
        "claim-platforms", visit.words(), Map.of("choices", new Html(choices.toString())));
  }

  /// The display name of a platform, if the dictionary has one.
  private static String name(Dictionary words, String platform) {
    String key = "claim.js.platform." + platform;
    return words.keys().contains(key) ? words.text(key) : platform;
  }

  private static Html hidden(String name, String value) {
    return new Html(
        "<input type=\"hidden\" name=\"" + name + "\" value=\"" + Html.escape(value) + "\">");
  }

  private Html problem(Visit visit, ClaimProblem problem) {
    Wording wording = visit.wording();
    String more = wording.text("claim.no." + problem.name() + ".more");
    String when =
        problem
            .retryAfter()
            .map(rest -> visit.words().text("error.retry", "time", wording.span(rest)))
            .orElse("");
    return templates.fill(
        "claim-problem",
        visit.words(),
        Map.of(
            "assets", frame.assets(),
            "name", problem.name(),
            "title", wording.text("claim.no." + problem.name()),
            "more", wording.sentences(more, when)));
  }

  private static String duration(Wording wording, ClaimOutcome.Claimed claimed) {
    Integer days = claimed.durationDays();
    return days == null
        ? wording.text("claim.for_ever")
        : wording.words().text("claim.days", "n", wording.number(days));
  }

  private static Html expiry(Wording wording, ClaimOutcome.Claimed claimed) {
    Instant at = claimed.expiresAt();
    if (at == null) {
      String key = claimed.durationDays() == null ? "claim.never" : "claim.from_first_use";
      return Html.of(wording.text(key));
    }
    // The browser converts it to the visitor's time zone.
    return new Html("<time datetime=\"" + at + "\">" + Html.escape(utc(wording, at)) + "</time>");
  }

  private static String utc(Wording wording, Instant at) {
    DateTimeFormatter format =
        DateTimeFormatter.ofLocalizedDateTime(FormatStyle.MEDIUM, FormatStyle.SHORT)
            .withLocale(wording.locale());
    return format.format(at.atOffset(ZoneOffset.UTC)) + " UTC";
  }

  /// @param label text for screen readers
  private static Html qr(String code, String label) {
    return new Html(
        QrSvg.of(code, "class=\"qr\" role=\"img\" aria-label=\"" + Html.escape(label) + '"'));
  }
}
