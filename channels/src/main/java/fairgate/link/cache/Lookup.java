package fairgate.link.cache;

import fairgate.link.click.Clicks;
import fairgate.platform.http.Reply;
import java.time.Duration;

/// The result of looking up a code. `Absent` means that no such link exists; `Unknown` means that
/// no store could answer.
public sealed interface Lookup {
  /// There is such a link.
  ///
  /// @param place the encoded target, for [Reply#withLocation]
  /// @param clicks where its clicks are counted
  /// @param until by the cache's clock: the link is looked up again after that; it serves on if
  ///   that fails
  record Hit(LinkEntry entry, CharSequence place, Clicks.ClickCounter clicks, long until)
      implements Lookup {
    Hit(LinkEntry entry, Clicks.ClickCounter clicks, long until) {
      this(entry, Reply.encodedLocation(entry.url()), clicks, until);
    }

    /// Whether it redirects everybody at any time, except for banned hosts.
    public boolean always() {
      return entry.always();
    }

    /// The status of the redirect.
    public int status() {
      return entry.redirectStatus();
    }
  }

  /// There is no such link.
  ///
  /// @param until by the cache's clock, as above
  record Absent(long until) implements Lookup {}

  /// Neither memory nor Redis has the code, and the database does not answer.
  record Unknown(Duration retryAfter) implements Lookup {}
}
