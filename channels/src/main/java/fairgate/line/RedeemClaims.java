package fairgate.line;

import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.line.talk.LineClaims;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Refusal;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.ClaimRequest;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.RedeemProduct;
import fairgate.redeem.orders.OrderText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/// Claims codes for the LINE channel, as the web does, with a LINE user in place of a browser.
///
/// @param shopUrl public URL of the shop, where people appeal
record RedeemClaims(RedeemFeature redeem, Decisions decisions, BanService bans, String shopUrl)
    implements LineClaims {
  @Override
  public Optional<String> orderIn(String text) {
    return OrderText.find(redeem.config().shapes(), text);
  }

  @Override
  public boolean speaksOfOrder(String text) {
    return OrderText.speaksOfOrder(text);
  }

  /// A signature is part of a link to the claim page, so signed orders of other platforms are
  /// claimed there.
  @Override
  public boolean takesOtherOrders() {
    return !redeem.config().signature().required();
  }

  @Override
  public LineClaims.Outcome claim(Attempt attempt, Language language) {
    Optional<String> order = orderIn(attempt.text());
    if (order.isPresent() && OrderId.isValid(order.get())) {
      // The id of an order of this server contains its product.
      String own = new OrderId(order.get()).product().value();
      return claimed(order.get(), own, attempt.claimant(), language);
    }
    List<RedeemProduct> products = redeem.products().all();
    if (products.isEmpty() || !takesOtherOrders()) {
      return new LineClaims.Outcome.NotOffered();
    }
    if (order.isEmpty()) {
      return refused("line.claim.no_number", language);
    }
    String product = attempt.product();
    if (product == null && products.size() > 1) {
      return new LineClaims.Outcome.WhichProduct(
          order.get(),
          products.stream()
              .map(one -> new LineClaims.Outcome.Product(one.id(), one.name()))
              .toList());
    }
    String productId = product == null ? products.getFirst().id() : product;
    if (!RedeemProduct.isId(productId)) {
      return refused("error.PRODUCT_NOT_FOUND", language);
    }
    return claimed(order.get(), productId, attempt.claimant(), language);
  }

  private LineClaims.Outcome claimed(
      String order, String product, String claimant, Language language) {
    ClaimRequest request = new ClaimRequest(order, product, null, null, claimant(claimant), null);
    return switch (redeem.service().claim(request)) {
      case ClaimOutcome.Claimed claimed -> new LineClaims.Outcome.Claimed(List.of(claimed.code()));
      case ClaimOutcome.NoOrderNumber() -> refused("line.claim.no_number", language);
      case ClaimOutcome.Ambiguous _ -> refused("line.claim.ambiguous", language);
      case ClaimOutcome.Failed failed -> refused(request, failed.refusal(), language);
    };
  }

  /// The reason, and where the person can appeal.
  private LineClaims.Outcome refused(ClaimRequest request, Refusal refusal, Language language) {
    ProductId product =
        ProductId.isValid(request.productId()) ? new ProductId(request.productId()) : null;
    Caller caller = request.claimant().caller();
    long ban = bans.find(caller.address(), () -> caller).map(Ban::id).orElse(0L);
    Refusal decided = decisions.decide(product, refusal, Decisions.Cause.ofBan(ban));
    Explanation told = Explanation.of(refusal);
    List<String> lines = new ArrayList<>();
    lines.add(Messages.text(language, "error." + refusal.code().name()));
    lines.add(told.reasonText(language));
    lines.addAll(told.helpTexts(language));
    String why = lines.stream().filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
    return new LineClaims.Outcome.Refused(
        decided.details().get("appeal_url") instanceof String appeal
            ? why + "\n" + Messages.text(language, "line.claim.appeal", shopUrl + appeal)
            : why);
  }

  /// The claimant counts as a device and as an address in an unused network, because LINE does not
  /// pass on addresses. The limits by address therefore apply to this user alone.
  private static ClaimRequest.Claimant claimant(String claimant) {
    byte[] name = claimant.getBytes(StandardCharsets.UTF_8);
    String hex = HexFormat.of().formatHex(name, 0, Math.min(6, name.length));
    String address =
        "fd4c:" + hex.substring(0, 4) + ":" + hex.substring(4, 8) + ":" + hex.substring(8) + "::1";
    return new ClaimRequest.Claimant(
        "line_" + claimant,
        "line:" + claimant,
        true,
        new Caller(
            Objects.requireNonNull(ClientAddress.parse(address)),
            "LINE",
            null,
            null,
            "line:" + claimant));
  }

  private static LineClaims.Outcome refused(String key, Language language) {
    return new LineClaims.Outcome.Refused(Messages.text(language, key));
  }
}
