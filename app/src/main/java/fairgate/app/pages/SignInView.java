package fairgate.app.pages;

import fairgate.account.PasskeyService.Passkey;
import fairgate.account.oidc.OidcService.Choice;
import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import gg.jte.html.HtmlContent;
import java.util.List;

/// Renders the page of the ways to sign in, and the page of a sign-in that failed.
record SignInView(PageFrame frame) {
  /// A provider.
  ///
  /// @param linked whether the account can sign in with it
  record Way(String name, String label, boolean linked) {}

  /// The ways of an account.
  ///
  /// @param linked names of the providers that the account is linked to
  /// @param withPasskeys whether passkeys can be added
  record Ways(
      List<Choice> providers, List<String> linked, List<Passkey> passkeys, boolean withPasskeys) {}

  /// A passkey on the page.
  record Key(String id, String since) {}

  /// @param problem in the visitor's language; empty for none
  Reply ways(Visit visit, int status, Ways all, String problem) {
    List<Way> ways =
        all.providers().stream()
            .map(one -> new Way(one.name(), one.label(), all.linked().contains(one.name())))
            .toList();
    List<Key> keys =
        all.passkeys().stream()
            .map(
                one ->
                    new Key(
                        one.id(),
                        visit
                            .words()
                            .text("account.since", "time", visit.wording().time(one.createdAt()))))
            .toList();
    String title = visit.wording().text("account.ways");
    HtmlContent main =
        out ->
            JteaccountWaysGenerated.render(
                out, null, visit.wording(), ways, keys, all.withPasskeys(), problem);
    PageFrame.Content content =
        all.withPasskeys()
            ? PageFrame.Content.of(
                title + " \u00b7 Fairgate", "plain", "passkey.js", main, JsonText.object())
            : PageFrame.Content.plain(title + " \u00b7 Fairgate", main);
    return frame.reply(visit, status, content).header("cache-control", "no-store");
  }

  /// @param problem in the visitor's language
  Reply problem(Visit visit, int status, String problem) {
    return reply(
        visit,
        status,
        visit.wording().text("account.login"),
        out -> JteaccountProblemGenerated.render(out, null, visit.wording(), problem));
  }

  private Reply reply(Visit visit, int status, String title, HtmlContent main) {
    return frame
        .reply(visit, status, PageFrame.Content.plain(title + " \u00b7 Fairgate", main))
        .header("cache-control", "no-store");
  }
}
