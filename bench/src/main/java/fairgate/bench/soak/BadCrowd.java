package fairgate.bench.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// As many connections of each bad kind as there should be; whoever is gone is replaced.
final class BadCrowd implements AutoCloseable {
  private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1);
  private static final String TWO_ANSWERS = "(?s)HTTP/1.1 200 .*HTTP/1.1 200 .*";

  private final int port;
  private final List<String> sessions;
  private final Map<Bad, List<BadSocket>> open = new EnumMap<>(Bad.class);
  private final Map<Bad, Fate> fates = new EnumMap<>(Bad.class);
  private final Thread thread;
  private volatile boolean over;

  /// The results of a kind.
  ///
  /// @param ended closed by the server
  /// @param longest lifetime of the longest one, seconds
  /// @param failed connections that were not served although they should have been
  record Fate(long made, long ended, double longest, long failed) {
    private static final Fate NONE = new Fate(0, 0, 0, 0);
  }

  /// @param sessions whose streams are read slowly
  BadCrowd(int port, List<String> sessions) {
    this.port = port;
    this.sessions = sessions;
    for (Bad kind : Bad.values()) {
      fates.put(kind, Fate.NONE);
    }
    this.thread = Thread.ofPlatform().daemon().start(this::run);
  }

  private void run() {
    long next = System.nanoTime();
    while (!over) {
      for (Bad kind : Bad.values()) {
        look(kind);
        fill(kind);
      }
      next += TICK_NS;
      LockSupport.parkNanos(next - System.nanoTime());
    }
  }

  private List<BadSocket> sockets(Bad kind) {
    return open.computeIfAbsent(kind, _ -> new ArrayList<>());
  }

  private void look(Bad kind) {
    sockets(kind)
        .removeIf(
            socket -> {
              boolean ended = !socket.look();
              if (ended) {
                ended(kind, socket);
              }
              if (ended || socket.goes()) {
                socket.close();
                return true;
              }
              older(kind, socket);
              return false;
            });
  }

  private synchronized void ended(Bad kind, BadSocket socket) {
    boolean answered = kind != Bad.HALF_CLOSED || socket.heard().matches(TWO_ANSWERS);
    boolean wanted = kind == Bad.IDLE;
    fates.computeIfPresent(
        kind,
        (_, fate) ->
            new Fate(
                fate.made(),
                fate.ended() + 1,
                Math.max(fate.longest(), kind == Bad.RESET ? 0 : socket.age()),
                fate.failed() + (answered && !wanted ? 0 : 1)));
  }

  private synchronized void older(Bad kind, BadSocket socket) {
    fates.computeIfPresent(
        kind,
        (_, fate) ->
            new Fate(
                fate.made(), fate.ended(), Math.max(fate.longest(), socket.age()), fate.failed()));
  }

  private void fill(Bad kind) {
    List<BadSocket> sockets = sockets(kind);
    while (sockets.size() < kind.count()) {
      int number = sockets.size();
      String first =
          kind == Bad.SLOW_STREAM
              ? "GET /api/queue/stream?session_id="
                  + sessions.get(number % sessions.size())
                  + " HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: "
                  + Caller.anyAddress()
                  + "\r\n\r\n"
              : kind.first()
                  .replace("Host: x", "Host: x\r\nX-Forwarded-For: " + Caller.anyAddress());
      try {
        sockets.add(new BadSocket(kind, port, first));
        made(kind, 0);
      } catch (IOException refused) {
        made(kind, 1);
        return;
      }
    }
  }

  private synchronized void made(Bad kind, int failed) {
    fates.computeIfPresent(
        kind,
        (_, fate) ->
            new Fate(fate.made() + 1, fate.ended(), fate.longest(), fate.failed() + failed));
  }

  synchronized Fate fate(Bad kind) {
    return fates.getOrDefault(kind, Fate.NONE);
  }

  @Override
  public void close() {
    over = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    open.values().forEach(sockets -> sockets.forEach(BadSocket::close));
  }
}
