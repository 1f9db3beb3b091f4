package fairgate.app.pages;

import static java.nio.charset.StandardCharsets.UTF_8;

import fairgate.account.identity.Identity;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import java.net.URLEncoder;
import java.util.Optional;

/// Where a visitor goes whom a sale has refused for lack of an account or a deposit, and what he is
/// told. `sale.js` has the same rule.
///
/// @param text key of the reason
/// @param href the page that helps, which leads back; empty when nothing helps
/// @param label key of the link's text
record AccountHelp(String text, String href, String label) {
  /// Empty for a refusal with another reason. Leads back to the page of the sale.
  static Optional<AccountHelp> of(ProductId product, Refusal refusal) {
    return of(product, refusal, "/p/" + product.value());
  }

  /// Empty for a refusal with another reason.
  ///
  /// @param back the page to which the page that helps leads back
  static Optional<AccountHelp> of(ProductId product, Refusal refusal, String back) {
    if (refusal.code() == ErrorCode.DEPOSIT_REQUIRED) {
      String page = "/p/" + product.value() + "/deposit";
      return Optional.of(new AccountHelp("deposit.required", page, "deposit.pay"));
    }
    boolean guest = refusal.code() == ErrorCode.SIGN_IN_REQUIRED;
    if (!guest && refusal.code() != ErrorCode.VERIFICATION_REQUIRED) {
      return Optional.empty();
    }
    String required = String.valueOf(refusal.details().getOrDefault("required", "account"));
    String next = "next=" + URLEncoder.encode(back, UTF_8);
    String verify = VerifyPages.PATH + "?kind=";
    String href =
        switch (required) {
          case "phone" -> verify + Identity.PHONE + '&' + next;
          case "person" -> verify + Identity.NUMBER + '&' + next;
          default -> guest ? "/account?" + next : "";
        };
    return Optional.of(
        new AccountHelp(
            "error.required." + required, href, guest ? "error.sign_in" : "error.verify"));
  }
}
