package fairgate.link.cache;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/// Where links are kept, as the cache sees it.
public interface LinkSource {
  /// The link; empty when there is none. Fails when the database cannot be asked.
  Future<Optional<LinkEntry>> find(String code);

  /// The links changed by transactions from a number on, oldest first.
  ///
  /// @param from a `next` of an earlier call; -1 for none of them
  /// @param after what a page before this one ended with; `Mark.START` for the first
  Future<Changes> changes(long from, Mark after, int most);

  /// The end of a page.
  record Mark(long transaction, long version) {
    public static final Mark START = new Mark(-1, -1);
  }

  /// A host that operators banned, or no longer.
  record Host(String name, boolean banned) {}

  /// What has changed.
  ///
  /// @param end of this page
  /// @param next from where to ask the next time: what had not been committed, or not begun, when
  ///   this was read
  record Changes(List<LinkEntry> links, List<Host> hosts, Mark end, long next) {}
}
