package fairgate.gate.appeal;

import fairgate.gate.risk.Explanation;
import org.jspecify.annotations.Nullable;

/// The outcomes of appealing, and of looking at an appeal.
public sealed interface AppealOutcome {
  /// No appeal against this decision yet.
  ///
  /// @param code the error code of the decision
  /// @param told the explanation that the person had; [Explanation#NONE] for others
  /// @param other whether this is another person, or the refused one in another browser
  record None(String code, Explanation told, boolean other) implements AppealOutcome {}

  /// The appeal was received.
  ///
  /// @param receipt the secret with which other browsers see the appeal; shown once
  /// @param told as in [None]
  record Filed(Appeal appeal, String receipt, Explanation told) implements AppealOutcome {}

  /// The appeal of this browser or account, or of the bearer of its receipt.
  ///
  /// @param told as in [None]
  /// @param banned whether a ban of the person is in force although the result lets them take part
  record Own(Appeal appeal, Explanation told, boolean banned) implements AppealOutcome {}

  /// Another browser has appealed against this decision; its receipt shows the appeal.
  ///
  /// @param wrongReceipt whether a wrong receipt was given
  record Others(String code, boolean wrongReceipt) implements AppealOutcome {}

  /// The letter was not added: there is an appeal with another letter.
  ///
  /// @param own the person's own; null when it is that of another browser
  /// @param code as in [None]
  record NotAdded(@Nullable Own own, String code) implements AppealOutcome {}

  /// This server has made no such decision, or no longer knows it.
  record Unknown() implements AppealOutcome {}

  /// The decision is being recorded. A repeat in a few seconds finds it.
  record Recording() implements AppealOutcome {}

  record Full() implements AppealOutcome {}

  sealed interface Decided {
    /// In force on this node, and on all nodes within a second.
    record Done(Appeal appeal) implements Decided {}

    record Before(Appeal appeal) implements Decided {}

    record NotFound() implements Decided {}

    /// The person is not known well enough to be exempt.
    record NoSubject() implements Decided {}

    /// The grade is the length of a ban, and the decision is none.
    record NoBan() implements Decided {}

    record ListFull(int limit) implements Decided {}

    /// An entry of the same list that appeals leave alone gives the person less than the decision.
    ///
    /// @param id of the entry
    record EntryStays(long id) implements Decided {}
  }
}
