package fairgate.app;

import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.line.talk.LineClaimOutcome;
import fairgate.line.talk.LineClaims;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.ClaimRequest;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.orders.PlatformShapes;
import fairgate.redeem.product.RedeemProduct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Claims by chat: as on the web, with a LINE user in place of a browser.
final class LineClaimDesk implements LineClaims {
  private final RedeemFeature redeem;

  LineClaimDesk(RedeemFeature redeem) {
    this.redeem = redeem;
  }

  @Override
  public LineClaimOutcome claim(Attempt attempt, Language language) {
    Optional<String> order = orderIn(attempt.text());
    if (order.isPresent() && OrderId.isValid(order.get())) {
      // An order of this server's own says of what it is.
      String own = new OrderId(order.get()).product().value();
      return claimed(order.get(), own, attempt.claimant(), language);
    }
    List<RedeemProduct> products = redeem.products().all();
    if (products.isEmpty()) {
      return new LineClaimOutcome.NotOffered();
    }
    if (order.isEmpty()) {
      return refused("line.claim.no_number", language);
    }
    String product = attempt.product();
    if (product == null && products.size() > 1) {
      return new LineClaimOutcome.WhichProduct(
          order.get(),
          products.stream()
              .map(one -> new LineClaimOutcome.Product(one.id(), one.name()))
              .toList());
    }
    String wanted = product == null ? products.getFirst().id() : product;
    if (!RedeemProduct.isId(wanted)) {
      return refused("error.PRODUCT_NOT_FOUND", language);
    }
    return claimed(order.get(), wanted, attempt.claimant(), language);
  }

  private LineClaimOutcome claimed(
      String order, String product, String claimant, Language language) {
    ClaimRequest request = new ClaimRequest(order, product, null, null, claimant(claimant));
    return told(redeem.service().claim(request), language);
  }

  /// The number in a pasted text: the first word a platform's orders look like, rather than one
  /// that only might be a number.
  private Optional<String> orderIn(String text) {
    PlatformShapes shapes = redeem.config().shapes();
    List<String> words = new ArrayList<>();
    for (String word : text.split("[^A-Za-z0-9_-]+", -1)) {
      String number = PlatformShapes.normalise(word);
      List<String> platforms = number.isEmpty() ? List.of() : shapes.platformsOf(number);
      if (platforms.stream().anyMatch(each -> !each.equals(PlatformShapes.GENERIC))) {
        return Optional.of(number);
      }
      boolean digits = number.chars().filter(Character::isDigit).count() >= 6;
      if (!platforms.isEmpty() && digits) {
        words.add(number);
      }
    }
    return words.stream().findFirst();
  }

  /// A LINE user is a device, and an address of a network that exists nowhere: limits by address
  /// are his alone, for LINE does not tell where he is.
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

  private LineClaimOutcome told(ClaimOutcome outcome, Language language) {
    return switch (outcome) {
      case ClaimOutcome.Claimed claimed -> new LineClaimOutcome.Claimed(List.of(claimed.code()));
      case ClaimOutcome.NoOrderNumber() -> refused("line.claim.no_number", language);
      case ClaimOutcome.Ambiguous _ -> refused("line.claim.ambiguous", language);
      case ClaimOutcome.Limited _ -> refused(ErrorCode.RATE_LIMIT_EXCEEDED, language);
      case ClaimOutcome.Banned _ -> refused(ErrorCode.CLIENT_BANNED, language);
      case ClaimOutcome.Unavailable _ -> refused(ErrorCode.SERVICE_UNAVAILABLE, language);
      case ClaimOutcome.Refused(ClaimOutcome.Reason reason) ->
          redeem.config().uniform().on()
              ? refused(ErrorCode.ORDER_NOT_FOUND, language)
              : refused("error." + reason.name(), language);
    };
  }

  private static LineClaimOutcome refused(ErrorCode code, Language language) {
    return refused("error." + code.name(), language);
  }

  private static LineClaimOutcome refused(String key, Language language) {
    return new LineClaimOutcome.Refused(Messages.text(language, key));
  }
}
