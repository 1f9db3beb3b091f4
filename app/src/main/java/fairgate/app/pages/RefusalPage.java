package fairgate.app.pages;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.ErrorPage;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.text.Messages;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// The page of every refusal: the reason, its end, a number for questions, and a contact.
final class RefusalPage implements ErrorPage {
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

  private final PageTemplates templates;
  private final PageFrame frame;
  private final PageSettings settings;
  private final Clock clock;

  RefusalPage(PageTemplates templates, PageFrame frame, PageSettings settings, Clock clock) {
    this.templates = templates;
    this.frame = frame;
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Reply draw(Request request, int status, Refusal refusal, String message) {
    Visit visit = Visit.of(request, settings.currency(), clock.instant());
    // A one-word path may have been meant as a short link or as a page.
    boolean missing =
        refusal.code() == ErrorCode.NOT_FOUND || refusal.code() == ErrorCode.LINK_NOT_FOUND;
    boolean banned = refusal.code() == ErrorCode.CLIENT_BANNED;
    // The message of an invalid request names the error; the other texts follow the page's
    // language.
    String sentence =
        refusal.code() == ErrorCode.INVALID_REQUEST
            ? message
            : Messages.text(visit.language(), "error." + refusal.code().name());
    String title =
        missing
            ? visit.wording().text("error.not_found")
            : banned ? visit.wording().text("refused.banned") : sentence;
    String more =
        missing
            ? visit.wording().text("error.not_found.more")
            : banned ? sentence : wait(visit, refusal);
    boolean again = request.method() == Method.GET && (banned || refusal.retryAfter() != null);
    Html main =
        templates.fill(
            "problem",
            visit.words(),
            Map.of(
                "assets",
                frame.assets(),
                "title",
                title,
                "more",
                more,
                "facts",
                facts(visit, refusal, missing),
                "next",
                again ? request.target() : "/",
                "next_text",
                visit.wording().text(again ? "refused.again" : "nav.sales")));
    return frame
        .reply(visit, status, PageFrame.Content.plain(title + " \u00b7 Fairgate", main))
        .header("cache-control", "no-store");
  }

  /// The details and the contact as a list; empty for a missing page.
  private Html facts(Visit visit, Refusal refusal, boolean missing) {
    if (missing) {
      return Html.NOTHING;
    }
    Map<String, Html> facts = new LinkedHashMap<>();
    Object decision = refusal.details().get("decision_id");
    if (decision == null) {
      facts.put("refused.reference", code(visit.request().requestId()));
    } else {
      facts.put("refused.decision", code(decision.toString()));
    }
    end(visit, refusal).ifPresent(end -> facts.put("refused.until", Html.of(end)));
    if (!settings.contact().isEmpty()) {
      facts.put("refused.contact", contact(settings.contact()));
    }
    Html list = new Html("<dl class=\"receipt\">");
    for (Map.Entry<String, Html> fact : facts.entrySet()) {
      list =
          list.and(new Html("<div><dt>"))
              .and(Html.of(visit.wording().text(fact.getKey())))
              .and(new Html("</dt><dd>"))
              .and(fact.getValue())
              .and(new Html("</dd></div>"));
    }
    return list.and(new Html("</dl>"));
  }

  private static Optional<String> end(Visit visit, Refusal refusal) {
    if (refusal.code() != ErrorCode.CLIENT_BANNED) {
      return Optional.empty();
    }
    if (!(refusal.details().get("banned_until") instanceof Long millis)) {
      return Optional.of(visit.wording().text("refused.no_end"));
    }
    Instant end = Instant.ofEpochMilli(millis);
    Duration rest = Duration.between(visit.wording().now(), end);
    String in = visit.words().text("refused.in", "time", visit.wording().span(rest));
    return Optional.of(MINUTE.format(end) + " (" + in + ")");
  }

  private static String wait(Visit visit, Refusal refusal) {
    Duration wait = refusal.retryAfter();
    return wait == null
        ? ""
        : visit.words().text("error.retry", "time", visit.wording().span(wait));
  }

  private static Html code(String text) {
    return new Html("<code>" + Html.escape(text) + "</code>");
  }

  private static Html contact(String contact) {
    String escaped = Html.escape(contact);
    if (contact.startsWith("https://") || contact.startsWith("http://")) {
      return new Html("<a href=\"" + escaped + "\">" + escaped + "</a>");
    }
    return contact.indexOf('@') > 0
        ? new Html("<a href=\"mailto:" + escaped + "\">" + escaped + "</a>")
        : Html.of(contact);
  }
}
