package fairgate.crowd.rehearsal;

import java.util.OptionalLong;

/// The record of one person at one sale. Times are milliseconds of the run. Safe for threads.
final class Attendance {
  private long opensAt;
  private long arrivedAt;
  private long turnAt = -1;
  private String session = "";
  private int proofs;
  private long hashes;
  private int units;
  private End end = End.PENDING;
  private String refusal = "";

  /// How a person's visit ended.
  enum End {
    /// It was still there at the end of the run.
    PENDING,
    BOUGHT,
    SOLD_OUT,
    /// It was refused for good, or until the end of the run.
    REFUSED,
    /// It lost its place.
    EXPIRED,
    /// It took a place and left it alone, as planned.
    ABSENT
  }

  /// @param opensAt the opening
  synchronized void arrived(long now, long opensAt) {
    this.arrivedAt = now;
    this.opensAt = opensAt;
  }

  synchronized void proved(long spent) {
    proofs++;
    hashes += spent;
  }

  synchronized void joined(String newSession) {
    session = newSession;
    refusal = "";
  }

  synchronized void turn(long now) {
    turnAt = turnAt < 0 ? now : turnAt;
    refusal = "";
  }

  synchronized void bought(int quantity) {
    units += quantity;
  }

  /// A refusal that may be the last word.
  synchronized void refused(String code) {
    refusal = code;
  }

  synchronized void left(End how) {
    end = how;
  }

  synchronized End end() {
    return end;
  }

  synchronized int units() {
    return units;
  }

  synchronized boolean hasPlace() {
    return !session.isEmpty();
  }

  /// The session of its place; empty if it has none.
  synchronized String session() {
    return session;
  }

  synchronized int proofs() {
    return proofs;
  }

  synchronized long hashes() {
    return hashes;
  }

  /// The code of the refusal that this person was left with; empty if there was none.
  synchronized String refusal() {
    return end == End.REFUSED ? refusal : "";
  }

  /// Whether its turn came.
  synchronized boolean gotIn() {
    return turnAt >= 0;
  }

  /// From its arrival, or from the opening if that is later, to its turn.
  synchronized OptionalLong timeToGetIn() {
    return gotIn() ? OptionalLong.of(since(turnAt)) : OptionalLong.empty();
  }

  /// The time it waited if the run ended at this time.
  synchronized long waited(long endsAt) {
    return since(gotIn() ? turnAt : endsAt);
  }

  private long since(long time) {
    return Math.max(0, time - Math.max(arrivedAt, opensAt));
  }
}
