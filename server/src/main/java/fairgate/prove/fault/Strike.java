package fairgate.prove.fault;

import com.google.errorprone.annotations.Immutable;
import java.io.IOException;
import java.sql.SQLException;

/// Does the harm, and makes good what it took away. Blocks meanwhile.
@Immutable
@FunctionalInterface
interface Strike {
  /// Whether it hit: some need traffic of the right kind at the right moment.
  boolean at(Site site) throws IOException, SQLException;
}
