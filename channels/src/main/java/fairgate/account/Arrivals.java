package fairgate.account;

import fairgate.kernel.Caller;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells listeners who has signed in, by any way.
final class Arrivals {
  private static final Logger LOG = LoggerFactory.getLogger(Arrivals.class);

  private final List<BiConsumer<String, Caller>> listeners = new CopyOnWriteArrayList<>();

  /// @param listener gets the account and the caller before the caller gets the session's token. It
  ///   may block. Its failure does not prevent the sign-in.
  void add(BiConsumer<String, Caller> listener) {
    listeners.add(listener);
  }

  void tell(String account, Caller caller) {
    for (BiConsumer<String, Caller> listener : listeners) {
      try {
        listener.accept(account, caller);
      } catch (RuntimeException e) {
        LOG.warn("A sign-in was not told to the sales; reason={}", e.toString());
      }
    }
  }
}
