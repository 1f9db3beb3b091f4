package fairgate.app.pages;

import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.ClaimRequest;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.PlatformShapes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// What the claim page stands on.
///
/// @param shapes how order numbers look
/// @param mask how codes look, for the hint at a mistyped one
/// @param uniform how long a refusal takes at least, where all of them look alike; empty where they
///   do not
public record ClaimDesk(
    Claims claims,
    Products products,
    PlatformShapes shapes,
    CodeMask mask,
    Optional<Duration> uniform) {

  /// Redeems; may wait.
  @FunctionalInterface
  public interface Claims {
    ClaimOutcome claim(ClaimRequest request);
  }

  /// A product to choose.
  public record Choice(String id, String name) {}

  /// The products that can be redeemed; may wait.
  public interface Products {
    /// Those a buyer chooses from.
    List<Choice> all();

    /// The one of this id, also when it is not one to choose.
    Optional<Choice> find(String id);
  }
}
