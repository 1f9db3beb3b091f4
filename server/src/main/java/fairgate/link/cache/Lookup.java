package fairgate.link.cache;

import fairgate.link.click.Clicks;
import fairgate.platform.http.Reply;
import java.time.Duration;

/// What is known of a code. Three values: "there is none" and "nobody can tell now" are not the
/// same.
public sealed interface Lookup {
  /// There is such a link. What a redirect needs stands here itself: of ten thousand links in
  /// demand every object more is one more that is in no cache of the processor.
  final class Hit implements Lookup {
    private final LinkEntry entry;
    private final boolean always;
    private final int status;
    private final CharSequence place;
    private final Clicks.Spot clicks;
    private final long until;
    private final long packed;
    private volatile boolean ended;
    private int found;

    Hit(LinkEntry entry, Clicks.Spot clicks, long until) {
      this.entry = entry;
      this.always = entry.always();
      this.status = entry.redirectStatus();
      this.place = Reply.place(entry.url());
      this.clicks = clicks;
      this.until = until;
      this.packed = HotLinks.pack(entry.code());
    }

    public LinkEntry entry() {
      return entry;
    }

    /// Whether it leads there for everybody at any time, banned hosts aside.
    public boolean always() {
      return always;
    }

    /// What a redirect is answered with.
    public int status() {
      return status;
    }

    /// Where it leads, for [Reply#to].
    public CharSequence place() {
      return place;
    }

    /// Where its clicks are counted.
    public Clicks.Spot clicks() {
      return clicks;
    }

    /// By the cache's clock: after that it is looked up again, and serves if that fails.
    long until() {
      return until;
    }

    /// Its code as a number, see [HotLinks].
    long packed() {
      return packed;
    }

    /// Something else is known of the code from now on.
    void end() {
      ended = true;
    }

    boolean ended() {
      return ended;
    }

    /// How often it was found about; threads may lose some of it.
    int found() {
      return found++;
    }
  }

  /// There is none, as of a moment ago.
  ///
  /// @param until likewise
  record Absent(long until) implements Lookup {}

  /// Neither memory nor Redis knows, and the database cannot be asked.
  record Unknown(Duration retryAfter) implements Lookup {}
}
