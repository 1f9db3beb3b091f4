package fairgate.gate.appeal;

import fairgate.gate.risk.Explanation;
import fairgate.kernel.ProductId;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Decisions that an engine stores itself, such as those of risk. Methods block, and throw
/// ServiceUnavailable while the store is away.
interface StoredDecisions {
  /// A stored decision.
  ///
  /// @param code the word for it in the API, such as `SEAT_BEHIND`
  /// @param rules the rules that led to it, the strongest first
  /// @param version the version of the rules
  /// @param at ms
  /// @param origin whom it is about
  /// @param told what this person was told
  /// @param evidence a JSON object for operators
  record Stored(
      String code,
      @Nullable ProductId product,
      List<String> rules,
      String version,
      long at,
      Origin origin,
      Explanation told,
      String evidence) {
    public Stored {
      rules = List.copyOf(rules);
    }
  }

  /// Whom a decision is about, by the hashes of [fairgate.gate.risk.Subjects].
  ///
  /// @param sale as in the request
  /// @param device the hash of the browser within the sale; null for a request without one
  /// @param subject the hash of the account, else of the browser, else of the address
  /// @param network the hash of the address; null in decisions from before it was recorded
  record Origin(String sale, @Nullable String device, String subject, @Nullable String network) {}

  Optional<Stored> find(String ref);

  /// Records the result of an appeal, in place of an earlier one whose ruling failed afterwards. A
  /// granted appeal ends the consequence of the decision. A repeat changes nothing.
  void decided(String ref, boolean granted);

  /// Lets a place that waits for a review be served, behind all others. A repeat changes nothing.
  void seatBehind(String ref);
}
