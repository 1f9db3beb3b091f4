package fairgate.prove.fault;

import java.io.IOException;
import java.sql.SQLException;

/// Does the harm, and makes good what it took away. Blocks meanwhile.
@FunctionalInterface
interface Strike {
  /// Whether it hit: some need traffic of the right kind at the right moment.
  boolean at(Site site) throws IOException, SQLException;
}
