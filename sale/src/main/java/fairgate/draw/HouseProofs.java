package fairgate.draw;

import java.util.Optional;

/// Proofs of leaves of the house log that the witnesses of a draw have cosigned.
@FunctionalInterface
public interface HouseProofs {
  /// The `.tlog-proof` file of the leaf at an index of the house log, against a checkpoint with the
  /// quorum of the draw's rules. Empty while there is none. Blocks.
  Optional<String> proof(Draw draw, long index);
}
