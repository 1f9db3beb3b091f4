package fairgate.link.cache;

import fairgate.link.click.Clicks;
import fairgate.platform.http.Reply;
import java.time.Duration;

/// What is known of a code. Three values: "there is none" and "nobody can tell now" are not the
/// same.
public sealed interface Lookup {
  /// There is such a link. What a redirect needs stands here itself: of ten thousand links in
  /// demand every object more is one more that is in no cache of the processor.
  ///
  /// @param always whether it leads there for everybody at any time, banned hosts aside
  /// @param redirect the answer to whoever may follow it
  /// @param clicks where its clicks are counted
  /// @param until by the cache's clock: after that it is looked up again, and serves if that fails
  record Hit(LinkEntry entry, boolean always, Reply redirect, Clicks.Spot clicks, long until)
      implements Lookup {}

  /// There is none, as of a moment ago.
  ///
  /// @param until likewise
  record Absent(long until) implements Lookup {}

  /// Neither memory nor Redis knows, and the database cannot be asked.
  record Unknown(Duration retryAfter) implements Lookup {}
}
