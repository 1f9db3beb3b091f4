package fairgate.app.pages;

import fairgate.account.oidc.OidcService.Choice;
import fairgate.platform.http.Reply;
import gg.jte.html.HtmlContent;
import java.util.List;

/// Renders the page of the ways to sign in, and the page of a sign-in that failed.
final class SignInView {
  private final PageFrame frame;

  /// A provider.
  ///
  /// @param linked whether the account can sign in with it
  record Way(String name, String label, boolean linked) {}

  SignInView(PageFrame frame) {
    this.frame = frame;
  }

  /// @param linked names of the providers that the account is linked to
  /// @param problem in the visitor's language; empty for none
  Reply ways(Visit visit, int status, List<Choice> providers, List<String> linked, String problem) {
    List<Way> ways =
        providers.stream()
            .map(one -> new Way(one.name(), one.label(), linked.contains(one.name())))
            .toList();
    return reply(
        visit,
        status,
        visit.wording().text("account.ways"),
        out -> JteaccountWaysGenerated.render(out, null, visit.wording(), ways, problem));
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
