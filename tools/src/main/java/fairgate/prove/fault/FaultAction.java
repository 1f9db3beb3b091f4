package fairgate.prove.fault;

import com.google.errorprone.annotations.Immutable;
import java.io.IOException;
import java.sql.SQLException;

/// Injects one fault and then restores normal operation. Blocks until both are done.
@Immutable
@FunctionalInterface
interface FaultAction {
  /// Returns whether the fault took effect: some faults need traffic of one kind at one moment.
  boolean at(FaultContext site) throws IOException, SQLException;
}
