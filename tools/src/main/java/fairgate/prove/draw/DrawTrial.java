package fairgate.prove.draw;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// One draw of a proof, and the answers to its entrants. Thread-safe.
///
/// @param logName the setting `draws.log_name` of the servers
public record DrawTrial(String draw, String product, String logName, Queue<Entry> answered) {
  public DrawTrial(String draw, String product, String logName) {
    this(draw, product, logName, new ConcurrentLinkedQueue<>());
  }

  /// An entry that a server has confirmed.
  public static final class Entry {
    private final String session;
    private final String leaf;
    private final long index;
    private volatile boolean isWithdrawn;

    /// An answer to an entrant.
    ///
    /// @param leaf hash of its leaf, in hexadecimal
    public Entry(String session, String leaf, long index) {
      this.session = session;
      this.leaf = leaf;
      this.index = index;
    }

    public String session() {
      return session;
    }

    public String leaf() {
      return leaf;
    }

    public long index() {
      return index;
    }

    /// Whether a server has confirmed that it is withdrawn.
    public boolean isWithdrawn() {
      return isWithdrawn;
    }

    void withdrawn() {
      isWithdrawn = true;
    }
  }

  /// The confirmed entries.
  public List<Entry> entries() {
    return List.copyOf(answered);
  }

  void add(Entry entry) {
    answered.add(entry);
  }
}
