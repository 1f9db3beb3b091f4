package fairgate.crowd.rehearsal;

import java.util.EnumSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The record of one person at one sale. Times are milliseconds of the run. Safe for threads.
final class Attendance {
  private long opensAt;
  private long arrivedAt;
  private long turnAt = -1;
  private String session = "";
  private int proofs;
  private long hashes;
  private int units;
  private boolean behind;
  private int unitsBehind;
  private boolean explained = true;
  private final Map<String, String> appeals = new TreeMap<>();
  private final Set<String> finalWords = new TreeSet<>();
  private final Set<Grade> grades = EnumSet.noneOf(Grade.class);
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
    unitsBehind += behind ? quantity : 0;
  }

  /// Its place is behind those of others from now on.
  ///
  /// @param hasReason whether it was told why
  synchronized void seatedBehind(boolean hasReason) {
    behind = true;
    explained &= hasReason;
  }

  /// A decision about this person that can be appealed against.
  ///
  /// @param what the code of the refusal, or the seat
  /// @param url the page of the appeal
  synchronized void decided(String what, String url) {
    appeals.putIfAbsent(what, url);
  }

  /// What risk asked this person for, or did with it.
  synchronized void graded(Grade grade) {
    grades.add(grade);
  }

  /// Whether this grade was the answer to any of its requests.
  synchronized boolean got(Grade grade) {
    return grades.contains(grade);
  }

  /// A refusal of this person without a way to appeal.
  synchronized void refusedFinally(String code) {
    finalWords.add(code);
  }

  /// The first page of an appeal by code or seat.
  synchronized Map<String, String> appeals() {
    return Map.copyOf(appeals);
  }

  synchronized Set<String> refusalsWithoutAppeal() {
    return Set.copyOf(finalWords);
  }

  synchronized boolean isBehind() {
    return behind;
  }

  /// Whether it was told why it is behind others, if it is.
  synchronized boolean isExplained() {
    return explained;
  }

  /// Units bought from a place that was not behind others.
  synchronized int unitsInFront() {
    return units - unitsBehind;
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
