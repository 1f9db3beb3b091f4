package fairgate.app.pages;

import fairgate.account.Account;
import fairgate.account.AccountSession;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.Reply;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Renders the account pages.
final class AccountView {
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm 'UTC'").withZone(ZoneOffset.UTC);

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

  private final PageTemplates templates;
  private final PageFrame frame;

  AccountView(PageTemplates templates, PageFrame frame) {
    this.templates = templates;
    this.frame = frame;
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply login(Visit visit, int status, String username, String problem) {
    return form(visit, status, "login", Map.of("username", username, "problem", problem));
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply register(Visit visit, int status, String username, String problem) {
    return form(visit, status, "register", Map.of("username", username, "problem", problem));
  }

  private Reply form(Visit visit, int status, String what, Map<String, String> typed) {
    boolean login = what.equals("login");
    String title = visit.wording().text("account." + what);
    Map<String, Object> values = new LinkedHashMap<>(typed);
    values.put("title", title);
    values.put("more", visit.wording().text("account." + what + ".more"));
    values.put("problem_hidden", hidden("".equals(typed.get("problem"))));
    values.put("reset_hidden", hidden(!login));
    values.put("action", "/account/" + what);
    values.put("autocomplete", login ? "current-password" : "new-password");
    values.put("other", login ? "/account/register" : "/account");
    values.put(
        "other_text", visit.wording().text(login ? "account.to_register" : "account.to_login"));
    return reply(visit, status, title, templates.fill("account-form", visit.words(), values));
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply reset(Visit visit, int status, String problem) {
    String title = visit.wording().text("account.reset");
    Map<String, Object> values =
        Map.of("title", title, "problem", problem, "problem_hidden", hidden(problem.isEmpty()));
    return reply(visit, status, title, templates.fill("account-reset", visit.words(), values));
  }

  /// @param problem problem in the visitor's language; empty for none
  Reply account(
      Visit visit,
      int status,
      SignedIn who,
      Account account,
      List<AccountSession> sessions,
      String problem) {
    Html list = Html.NOTHING;
    for (AccountSession session : sessions) {
      boolean here = session.id().equals(who.session());
      list =
          list.and(
              templates.fill(
                  "account-session",
                  visit.words(),
                  Map.of(
                      "id", session.id(),
                      "agent", agent(visit, session.agent()),
                      "since",
                          visit
                              .words()
                              .text("account.since", "time", MINUTE.format(session.createdAt())),
                      "revoke_hidden", hidden(here),
                      "here_hidden", hidden(!here))));
    }
    Html main =
        templates.fill(
            "account",
            visit.words(),
            Map.of(
                "username", account.username(),
                "sessions", list,
                "problem", problem,
                "problem_hidden", hidden(problem.isEmpty()),
                "others_hidden", hidden(sessions.size() < 2)));
    return reply(visit, status, account.username(), main);
  }

  private Reply reply(Visit visit, int status, String title, Html main) {
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

  private static String hidden(boolean hidden) {
    return hidden ? "hidden" : "";
  }
}
