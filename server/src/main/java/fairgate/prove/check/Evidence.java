package fairgate.prove.check;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.Said;
import fairgate.prove.stage.Chronicle;
import java.util.List;
import java.util.stream.Stream;

/// What the checks have to go by.
///
/// @param products the sales that are judged
public record Evidence(
    List<String> products, Journal journal, Gateway gateway, Chronicle chronicle) {

  /// Whether Redis was robbed of what this answer said, before the ledger had learnt of it.
  boolean lost(Said said) {
    return chronicle.losses(said.sale()).stream()
        .anyMatch(loss -> within(loss, said.got()) && !loss.known().contains(said.order()));
  }

  /// Whether the sale's Redis was robbed of anything that was known then: what is neither stock nor
  /// an order (places, keys, tokens) may be gone then.
  boolean forgotten(Said said) {
    return placesLost(said).anyMatch(loss -> within(loss, said.got()));
  }

  private Stream<Chronicle.Loss> placesLost(Said said) {
    return chronicle.losses().stream().filter(loss -> loss.places().test(said.sale()));
  }

  private static boolean within(Chronicle.Loss loss, long at) {
    return at >= loss.from() && at <= loss.to();
  }

  /// Whether the sale's Redis was robbed before this answer.
  boolean robbedBefore(Said said) {
    return placesLost(said).anyMatch(loss -> loss.from() <= said.got());
  }

  /// Whether the sale's Redis was robbed at all after this answer.
  boolean robbedSince(Said said) {
    return placesLost(said).anyMatch(loss -> loss.to() >= said.got());
  }

  /// Whether the sale's Redis was ever robbed.
  boolean robbed(String product) {
    return !chronicle.losses(product).isEmpty();
  }
}
