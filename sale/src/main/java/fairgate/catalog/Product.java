package fairgate.catalog;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Refusal;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A product and its sale in the catalog. Live values (free units, the queue) are in Redis only.
///
/// @param policyVersion counts the policies this product has had, from 1
/// @param version higher after every change of anything here, across all products
/// @param nextBatchAt when the next planned units come; null when no time is set
public record Product(
    ProductId id,
    Details details,
    SalePolicy policy,
    int policyVersion,
    ProductState state,
    long version,
    @Nullable Instant nextBatchAt,
    ProductContent content) {

  /// The state by the clock, as `sale_clock.lua` has it. `state` is the stored one.
  ///
  /// @param now about the time of Redis
  public ProductState stateAt(Instant now) {
    Instant opens = policy.schedule().opensAt();
    Instant closes = policy.schedule().closesAt();
    if (closes != null && !closes.isAfter(now)) {
      return ProductState.CLOSED;
    }
    if (opens == null || state == ProductState.PAUSED || state == ProductState.CLOSED) {
      return state;
    }
    return opens.isAfter(now) ? ProductState.SCHEDULED : ProductState.OPEN;
  }

  /// The policy's rules on people and networks, with the limits of networks for the units of this
  /// sale.
  public SalePolicy.Fairness fairness() {
    return policy.fairness().forUnits(details.totalStock());
  }

  /// Whether the places of the sale are drawn.
  public boolean isByDraw() {
    return policy.fairness().preQueue() == SalePolicy.PreQueue.DRAW;
  }

  /// The refusal of a buyer who has paid no deposit: its amount, its end if the buyer lets the turn
  /// pass, and the page on which to pay it. The names are those of the product in the API.
  public Refusal depositRequired() {
    Refusal refusal = Refusal.of(ErrorCode.DEPOSIT_REQUIRED);
    SalePolicy.Deposit deposit = policy.payment().deposit();
    if (deposit == null) {
      return refusal;
    }
    Money amount = deposit.of(details.price());
    return refusal
        .with("deposit", amount.minorUnits())
        .with("currency", amount.currency())
        .with("currency_exponent", amount.exponent())
        .with("deposit_passed", deposit.passed().word())
        .with("deposit_url", "/p/" + id.value() + "/deposit");
  }

  /// Whether the sale has begun and has not ended. A paused sale is on.
  public boolean isOn(Instant now) {
    ProductState current = stateAt(now);
    return current == ProductState.OPEN || current == ProductState.PAUSED;
  }

  /// Whether the sale is on and not paused.
  public boolean isOpen(Instant now) {
    return stateAt(now) == ProductState.OPEN;
  }

  public record Draft(Details details, SalePolicy policy) {}

  /// The fields of a product that operators set, besides its policy.
  ///
  /// @param totalStock planned units, released or not
  /// @param durationDays validity of a purchase; null = unlimited
  public record Details(
      String name, String imageUrl, Money price, int totalStock, @Nullable Integer durationDays) {}
}
