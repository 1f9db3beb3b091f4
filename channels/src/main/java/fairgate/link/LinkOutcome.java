package fairgate.link;

/// What making or changing a link came to.
public sealed interface LinkOutcome {
  /// It is done; the link as it is now.
  record Done(StoredLink link) implements LinkOutcome {}

  /// Somebody has this code, or it is kept for the server's own pages.
  record CodeTaken(String code) implements LinkOutcome {}

  /// No link may lead to this host.
  record HostBlocked(String host) implements LinkOutcome {}

  /// The owner has as many links as one may have.
  record TooMany(int most) implements LinkOutcome {}

  /// There is no such link, or it is somebody else's.
  record NotFound() implements LinkOutcome {}
}
