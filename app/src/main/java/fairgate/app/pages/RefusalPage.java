package fairgate.app.pages;

import fairgate.gate.risk.Explanation;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.ErrorPage;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Templates;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The page of every refusal: the reason, its end, a number for questions, and a contact.
record RefusalPage(PageFrame frame, PageSettings settings, Clock clock) implements ErrorPage {
  /// A page that waits for a turn without JavaScript goes on by itself after an outage.
  private static final String AGAIN_SECONDS = "10";

  /// The content of the page.
  ///
  /// @param next address of the button
  /// @param appeal address of the appeal; empty for none
  record Problem(
      String title,
      String more,
      List<Fact> facts,
      String next,
      String nextText,
      String appeal,
      String appealText) {}

  /// A row of the details.
  ///
  /// @param code whether the text is shown as code
  /// @param href address of a link; empty for none
  record Fact(String label, String text, boolean code, String href) {
    static Fact code(String label, String text) {
      return new Fact(label, text, true, "");
    }
  }

  @Override
  public Reply draw(
      Request request, int status, Refusal refusal, Function<Language, String> message) {
    Visit visit = Visit.of(request, settings, clock.instant());
    return atGate(visit, status, refusal).orElseGet(() -> framed(visit, status, refusal, message));
  }

  private Reply framed(
      Visit visit, int status, Refusal refusal, Function<Language, String> message) {
    Request request = visit.request();
    // A one-word path may have been meant as a short link or as a page.
    boolean missing =
        refusal.code() == ErrorCode.NOT_FOUND || refusal.code() == ErrorCode.LINK_NOT_FOUND;
    boolean banned = refusal.code() == ErrorCode.CLIENT_BANNED;
    // The message of an invalid request names the error.
    String sentence =
        refusal.code() == ErrorCode.INVALID_REQUEST
            ? message.apply(visit.language())
            : Messages.text(visit.language(), "error." + refusal.code().name());
    String title =
        missing
            ? visit.wording().text("error.not_found")
            : banned ? visit.wording().text("refused.banned") : sentence;
    String advice =
        lacksHost(request, refusal) ? visit.wording().text("gate.host") : wait(visit, refusal);
    String more =
        missing ? visit.wording().text("error.not_found.more") : banned ? sentence : advice;
    boolean again = request.method() == Method.GET && (banned || refusal.retryAfter() != null);
    // Of a waiting room that was deleted.
    String shop = refusal.details().get("return_url") instanceof String url ? url : "";
    String elsewhere = shop.isEmpty() ? "/" : shop;
    Problem problem =
        new Problem(
            title,
            more,
            facts(visit, refusal, missing),
            again ? request.target() : elsewhere,
            visit
                .wording()
                .text(again ? "refused.again" : shop.isEmpty() ? "nav.sales" : "refused.shop"),
            refusal.details().get("appeal_url") instanceof String appeal ? appeal : "",
            visit.wording().text("wait.appeal"));
    PageFrame.Content page =
        PageFrame.Content.plain(
                title + " \u00b7 Fairgate",
                out -> JteproblemGenerated.render(out, null, problem, frame.assets()))
            .withRefresh(again && status == 503 ? AGAIN_SECONDS : "");
    return frame.reply(visit, status, page).header("cache-control", "no-store");
  }

  /// A page that says what happened, with the way back to the sales.
  ///
  /// @param title a key of the dictionary, as is `more`
  Reply told(Visit visit, int status, String title, String more) {
    Wording w = visit.wording();
    Problem problem =
        new Problem(w.text(title), w.text(more), List.of(), "/", w.text("nav.sales"), "", "");
    return frame
        .reply(
            visit,
            status,
            PageFrame.Content.plain(
                problem.title() + " \u00b7 Fairgate",
                out -> JteproblemGenerated.render(out, null, problem, frame.assets())))
        .header("cache-control", "no-store");
  }

  /// Whether a form was refused because its origin is not the `Host`, which a proxy may not have
  /// passed on. Browsers that send `Sec-Fetch-Site` are believed without it.
  private static boolean lacksHost(Request request, Refusal refusal) {
    return refusal.code() == ErrorCode.FORBIDDEN
        && request.header("sec-fetch-site") == null
        && SameOrigin.of(request) == SameOrigin.FOREIGN;
  }

  /// The details and the contact; empty for a missing page.
  private List<Fact> facts(Visit visit, Refusal refusal, boolean missing) {
    if (missing) {
      return List.of();
    }
    Wording wording = visit.wording();
    List<Fact> facts = new ArrayList<>();
    Object decision = refusal.details().get("decision_id");
    if (decision == null) {
      facts.add(Fact.code(wording.text("refused.reference"), visit.request().requestId()));
    } else {
      facts.addAll(numbers(wording, decision.toString()));
    }
    facts.addAll(explanation(visit, refusal));
    end(visit, refusal)
        .ifPresent(end -> facts.add(new Fact(wording.text("refused.until"), end, false, "")));
    String contact = settings.contact();
    if (!contact.isEmpty()) {
      facts.add(new Fact(wording.text("refused.contact"), contact, false, address(contact)));
    }
    return facts;
  }

  /// The id of a decision; of a stored ban first its number, which can be read out on the
  /// telephone.
  private static List<Fact> numbers(Wording wording, String decision) {
    return DecisionCodec.describe(decision)
        .filter(content -> content.ban() != 0)
        .map(
            content ->
                List.of(
                    Fact.code(wording.text("refused.decision"), "B-" + content.ban()),
                    Fact.code(wording.text("refused.reference"), decision)))
        .orElseGet(() -> List.of(Fact.code(wording.text("refused.decision"), decision)));
  }

  /// The reason of a decision on risk, and what would help, in the language of the page; empty for
  /// other refusals.
  static List<Fact> explanation(Visit visit, Refusal refusal) {
    Explanation told = Explanation.of(refusal);
    Wording wording = visit.wording();
    List<Fact> facts = new ArrayList<>();
    if (told.reason() != null) {
      String reason = told.reasonText(visit.language());
      facts.add(new Fact(wording.text("refused.reason"), reason, false, ""));
    }
    if (!told.help().isEmpty()) {
      String help = wording.sentences(told.helpTexts(visit.language()));
      facts.add(new Fact(wording.text("refused.help"), help, false, ""));
    }
    return facts;
  }

  private static Optional<String> end(Visit visit, Refusal refusal) {
    if (refusal.code() != ErrorCode.CLIENT_BANNED) {
      return Optional.empty();
    }
    if (!(refusal.details().get("banned_until") instanceof Long millis)) {
      return Optional.of(visit.wording().text("refused.no_end"));
    }
    Instant end = Instant.ofEpochMilli(millis);
    Duration remaining = Duration.between(visit.wording().now(), end);
    String in = visit.words().text("refused.in", "time", visit.wording().span(remaining));
    return Optional.of(visit.wording().time(end) + " (" + in + ")");
  }

  /// When to try again; empty when the refusal does not say it.
  static String wait(Visit visit, Refusal refusal) {
    Duration wait = refusal.retryAfter();
    return wait == null
        ? ""
        : visit.words().text("error.retry", "time", visit.wording().span(wait));
  }

  /// The URL of a contact; empty when it is neither a web nor an e-mail address.
  private static String address(String contact) {
    if (contact.startsWith("https://") || contact.startsWith("http://")) {
      return contact;
    }
    return contact.indexOf('@') > 0 ? "mailto:" + contact : "";
  }

  /// The page of a request that the check before a shop refuses, such as one for another host;
  /// empty for all other refusals. It has no assets and no links, because the browser would ask the
  /// shop's host for them.
  private Optional<Reply> atGate(Visit visit, int status, Refusal refusal) {
    String key = "gate.refused." + refusal.details().get("reason");
    if (!visit.words().keys().contains(key)) {
      return Optional.empty();
    }
    String setting = visit.wording().text(key);
    String page =
        Templates.render(
            out -> JtegateRefusalGenerated.render(out, null, visit.wording(), setting));
    return Optional.of(
        Reply.html(status, page)
            .header("content-security-policy", settings.policy())
            .header("content-language", visit.language().tag()));
  }
}
