package fairgate.app.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import fairgate.account.identity.Identity;
import fairgate.platform.http.Reply;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import gg.jte.html.HtmlContent;
import java.net.URLEncoder;
import java.util.List;

/// Renders the page on which an account verifies itself.
record VerifyView(PageFrame frame) {
  /// What is to be shown.
  ///
  /// @param kind `phone`, `email` or `number`: what is to be verified
  /// @param kinds what this server can verify here
  /// @param contact the telephone or e-mail address, as it was entered
  /// @param coded whether a code has been sent to the contact
  /// @param product the product that an identity number is for; empty for none
  /// @param next the path to return to; empty for none
  /// @param message what has happened, in the visitor's language; empty for nothing
  record Form(
      String kind,
      List<String> kinds,
      String contact,
      boolean coded,
      String product,
      String next,
      String message) {
    Form withContact(String text) {
      return new Form(kind, kinds, text, coded, product, next, message);
    }

    Form sent(String what) {
      return new Form(kind, kinds, contact, true, product, next, what);
    }

    /// The parameters of a link to this form for another kind.
    String query(String other) {
      return "?kind=" + other + (next.isEmpty() ? "" : "&next=" + URLEncoder.encode(next, UTF_8));
    }
  }

  /// A verified identity on the page.
  record Shown(String kind, String event, String name, String hint, String since) {}

  /// What went wrong, in the visitor's language.
  ///
  /// @param text empty for nothing
  /// @param appeal address of the appeal; empty for none
  record Problem(String text, String appeal) {}

  Reply page(Visit visit, int status, Form form, List<Identity> verified, Problem problem) {
    List<Shown> shown = verified.stream().map(one -> shown(visit, one)).toList();
    HtmlContent main =
        out -> JteaccountVerifyGenerated.render(out, null, visit.wording(), form, shown, problem);
    String title = visit.wording().text("account.verify") + " \u00b7 Fairgate";
    return frame
        .reply(visit, status, PageFrame.Content.plain(title, main))
        .header("cache-control", "no-store");
  }

  private static Shown shown(Visit visit, Identity one) {
    String name = visit.wording().text("account.verify." + one.kind());
    String since =
        visit.words().text("account.since", "time", visit.wording().time(one.verifiedAt()));
    String hint = one.kind().equals(Identity.EMAIL) ? one.hint() : "\u2026" + one.hint();
    return new Shown(one.kind(), one.event(), name, hint, since);
  }
}
