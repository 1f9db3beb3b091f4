package fairgate.platform.http;

/// An open stream of server-sent events. Thread-safe; events sent from one thread arrive in order.
/// The server sends a heartbeat comment when the stream has been silent for too long.
public interface EventStream {
  /// Sends one event. False when the client's queue is full or the stream is closed; the event is
  /// then skipped, because a later state makes it obsolete.
  ///
  /// @param id sent back by the client as `Last-Event-ID`; empty for none
  /// @param event the event's name; empty for the default `message`
  boolean send(String id, String event, String dataJson);

  /// Runs the action once on the event loop when the stream ends, on either side; immediately when
  /// it has already ended.
  void onClose(Runnable action);

  /// Ends the stream. A repeat has no effect.
  void close();

  boolean closed();
}
