package fairgate.app.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import fairgate.account.AccountService;
import fairgate.account.oidc.OidcService;
import fairgate.kernel.SignedIn;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import gg.jte.html.HtmlContent;
import java.net.URLEncoder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Renders the account pages.
///
/// @param providers other services to sign in with
/// @param passkeys whether the sign-in page offers passkeys
/// @param links further pages of an account
/// @param challengeless whether forms pass the challenge without JavaScript
record AccountView(
    PageFrame frame,
    List<OidcService.Choice> providers,
    boolean passkeys,
    List<Feature.AccountLink> links,
    boolean challengeless) {
  /// Parts of a `User-Agent`, the more specific first, and the names of the programs.
  private static final Map<String, String> PROGRAMS = new LinkedHashMap<>();

  private static final Map<String, String> SYSTEMS = new LinkedHashMap<>();

  static {
    PROGRAMS.put("Edg", "Edge");
    PROGRAMS.put("OPR/", "Opera");
    PROGRAMS.put("Line/", "LINE");
    PROGRAMS.put("Firefox/", "Firefox");
    PROGRAMS.put("Chrome/", "Chrome");
    PROGRAMS.put("CriOS/", "Chrome");
    PROGRAMS.put("Safari/", "Safari");
    PROGRAMS.put("curl/", "curl");
    SYSTEMS.put("Android", "Android");
    SYSTEMS.put("iPhone", "iPhone");
    SYSTEMS.put("iPad", "iPad");
    SYSTEMS.put("Windows", "Windows");
    SYSTEMS.put("Mac OS X", "macOS");
    SYSTEMS.put("Linux", "Linux");
  }

  /// A session of the account.
  ///
  /// @param agent the browser's program and system
  /// @param here whether it is the visitor's own
  record Session(String id, String agent, String since, boolean here) {}

  /// @param problem problem in the visitor's language; empty for none
  Reply login(Visit visit, int status, String username, String problem) {
    return form(visit, status, "login", username, problem);
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply register(Visit visit, int status, String username, String problem) {
    return form(visit, status, "register", username, problem);
  }

  /// @param form `login` or `register`
  private Reply form(Visit visit, int status, String form, String username, String problem) {
    String title = visit.wording().text("account." + form);
    String next = ReturnPath.of(visit.request());
    String query = next.isEmpty() ? "" : "?next=" + URLEncoder.encode(next, UTF_8);
    boolean withPasskeys = passkeys && form.equals("login");
    HtmlContent main =
        out ->
            JteaccountFormGenerated.render(
                out,
                null,
                visit.wording(),
                providers,
                withPasskeys,
                next,
                query,
                form,
                title,
                username,
                problem);
    PageFrame.Content content =
        PageFrame.Content.of(
            title + " \u00b7 Fairgate",
            "plain",
            withPasskeys ? "passkey.js" : "",
            main,
            JsonText.object());
    return frame.reply(visit, status, content).header("cache-control", "no-store");
  }

  /// A step of setting a new password without the old one.
  ///
  /// @param form `ask`, `code` or `token`
  /// @param contact the telephone or e-mail address
  /// @param token the token to set the password with, if the visitor has proved the contact
  /// @param message what has happened; empty for nothing
  public record ResetStep(String form, String contact, String token, String message) {
    static ResetStep asking(String contact) {
      return new ResetStep("ask", contact, "", "");
    }

    static ResetStep withCode(String contact, String message) {
      return new ResetStep("code", contact, "", message);
    }

    static ResetStep withToken(String token) {
      return new ResetStep("token", "", token, "");
    }
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply reset(Visit visit, int status, ResetStep step, String problem) {
    boolean challenge = step.form().equals("ask") && !challengeless;
    String title = visit.wording().text("account.reset");
    PageFrame.Content content =
        PageFrame.Content.of(
            title + " \u00b7 Fairgate",
            "plain",
            challenge ? "reset.js" : "",
            out ->
                JteaccountResetGenerated.render(
                    out, null, visit.wording(), step, challenge, problem),
            JsonText.object());
    return frame.reply(visit, status, content).header("cache-control", "no-store");
  }

  /// The account on its page.
  ///
  /// @param password whether it has one
  /// @param verifies whether it can verify itself here
  /// @param next the path to return to; empty for none
  record Shown(String username, boolean password, boolean verifies, String next) {}

  /// @param problem problem in the visitor's language; empty for none
  Reply account(
      Visit visit,
      int status,
      SignedIn who,
      Shown account,
      List<AccountService.Session> sessions,
      String problem) {
    List<Session> shown =
        sessions.stream()
            .map(
                session ->
                    new Session(
                        session.id(),
                        agent(visit, session.agent()),
                        visit
                            .words()
                            .text(
                                "account.since", "time", visit.wording().time(session.createdAt())),
                        session.id().equals(who.session())))
            .toList();
    return reply(
        visit,
        status,
        account.username(),
        out ->
            JteaccountGenerated.render(out, null, visit.wording(), account, links, shown, problem));
  }

  private Reply reply(Visit visit, int status, String title, HtmlContent main) {
    return frame
        .reply(visit, status, PageFrame.Content.plain(title + " \u00b7 Fairgate", main))
        .header("cache-control", "no-store");
  }

  private static String agent(Visit visit, String agent) {
    String program = named(PROGRAMS, agent);
    String system = named(SYSTEMS, agent);
    String both = (program + " \u00b7 " + system).replaceAll("^ \u00b7 | \u00b7 $", "");
    return both.isBlank() || both.equals("\u00b7")
        ? visit.wording().text("account.unknown_agent")
        : both;
  }

  private static String named(Map<String, String> names, String agent) {
    return names.entrySet().stream()
        .filter(name -> agent.contains(name.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }
}
