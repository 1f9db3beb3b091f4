package fairgate.line;

import fairgate.kernel.SessionId;

/// The channel's keys in Redis. The braces are part of the keys: all lie in one slot.
final class LineKeys {
  static final String INBOX = "{line}:inbox";
  static final String PENDING = "{line}:pending";

  private LineKeys() {}

  static String event(String id) {
    return "{line}:event:" + id;
  }

  static String link(String nonce) {
    return "{line}:link:" + nonce;
  }

  static String session(SessionId session) {
    return "{line}:session:" + session.value();
  }

  static String user(String userId) {
    return "{line}:user:" + userId;
  }

  static String language(String userId) {
    return "{line}:language:" + userId;
  }
}
