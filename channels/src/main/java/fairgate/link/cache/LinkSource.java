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
  /// @param from `next` of an earlier call; -1 for no changes
  /// @param after the end of the previous page; `Position.START` for the first
  Future<Changes> changes(long from, Position after, int max);

  /// The end of a page.
  record Position(long transaction, long version) {
    public static final Position START = new Position(-1, -1);
  }

  /// A host that operators banned, or no longer.
  record Host(String name, boolean banned) {}

  /// A page of changes.
  ///
  /// @param end of this page
  /// @param next the start of the next read: the first transaction that was not committed, or not
  ///   begun, at this read
  record Changes(List<LinkEntry> links, List<Host> hosts, Position end, long next) {
    static Changes none(long from) {
      return new Changes(List.of(), List.of(), Position.START, from);
    }
  }
}
