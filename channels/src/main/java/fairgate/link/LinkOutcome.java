package fairgate.link;

/// The result of creating or changing a link.
public sealed interface LinkOutcome {
  /// It is done; the link as it is now.
  record Done(StoredLink link) implements LinkOutcome {}

  /// Another link has this code, or it is reserved for the server's own pages.
  record CodeTaken(String code) implements LinkOutcome {}

  /// No link may lead to this host.
  record HostBlocked(String host) implements LinkOutcome {}

  /// The owner has as many links as one may have.
  record TooMany(int max) implements LinkOutcome {}

  /// There is no such link, or it belongs to another owner.
  record NotFound() implements LinkOutcome {}
}
