package fairgate.platform.http;

/// One open stream of server-sent events. Safe to use from any thread; what is sent from one thread
/// arrives in order. The server adds a heartbeat comment whenever the stream was silent too long.
public interface EventStream {
  /// Sends one event. False when the client's queue is full or the stream is closed: the event was
  /// skipped, and the next state is worth more than this one.
  ///
  /// @param id what the client gives back as `Last-Event-ID`; empty for none
  /// @param event the event's name; empty for the default `message`
  boolean send(String id, String event, String dataJson);

  /// Sends a comment, which clients ignore. Skipped when the queue is full.
  void comment(String text);

  /// Runs once, on the event loop, when the stream has ended, whoever ended it; at once when it has
  /// ended already.
  void onClose(Runnable action);

  /// Ends the stream. A repeat does nothing.
  void close();

  boolean closed();
}
