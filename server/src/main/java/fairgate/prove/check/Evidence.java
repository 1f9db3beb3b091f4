package fairgate.prove.check;

import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.Said;
import fairgate.prove.stage.Chronicle;
import java.util.List;

/// What the checks have to go by.
///
/// @param products the sales that are judged
public record Evidence(
    List<String> products, Journal journal, Gateway gateway, Chronicle chronicle) {

  /// Whether Redis was robbed of what this answer said, before the ledger had learnt of it.
  boolean lost(Said said) {
    return lost(said.order(), said.got());
  }

  boolean lost(String order, long got) {
    return chronicle.losses().stream()
        .anyMatch(loss -> got >= loss.from() && got <= loss.to() && !loss.known().contains(order));
  }

  /// Whether Redis was robbed of anything that was known at this time: what is neither stock nor an
  /// order (places, keys, tokens) may be gone then.
  boolean forgotten(long got) {
    return chronicle.losses().stream().anyMatch(loss -> got >= loss.from() && got <= loss.to());
  }

  /// Whether Redis was robbed before this time.
  boolean robbedBefore(long at) {
    return chronicle.losses().stream().anyMatch(loss -> loss.from() <= at);
  }

  /// Whether Redis was robbed at all after this time.
  boolean robbedSince(long at) {
    return chronicle.losses().stream().anyMatch(loss -> loss.to() >= at);
  }
}
