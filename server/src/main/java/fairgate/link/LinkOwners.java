package fairgate.link;

import fairgate.platform.http.Request;
import java.util.Optional;

/// Who a caller is, as far as links go.
@FunctionalInterface
public interface LinkOwners {
  /// The owner's id, such as `user:17` or `device:...`; at most 128 characters. Empty when the
  /// caller may own no links.
  Optional<String> of(Request request);
}
