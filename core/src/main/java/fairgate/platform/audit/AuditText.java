package fairgate.platform.audit;

import fairgate.kernel.AuditEvent;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.SessionId;
import fairgate.platform.audit.EventBuffers.PendingEvent;
import fairgate.platform.json.JsonText;

/// Renders events as the JSON that is stored and hashed. Persons appear as keyed hashes: events of
/// a known address or session can be found, but the values cannot be read from the log.
record AuditText(KeyRing keys, String node) {
  private static final int LONGEST_AGENT = 256;

  String write(PendingEvent pending) {
    AuditEvent event = pending.event();
    JsonText json =
        JsonText.object()
            .put("at", pending.at())
            .put("kind", event.kind().word())
            .put("what", event.what())
            .put("node", node);
    who(json, event.caller());
    event.facts().forEach(json::putAny);
    return json.toString();
  }

  private void who(JsonText json, Caller caller) {
    if (!caller.address().equals(ClientAddress.NONE)) {
      json.put("ip", ip(caller.address()));
      json.put("net", network(caller.address()));
    }
    DeviceId device = caller.device();
    if (device != null) {
      json.put("device", BanSubject.deviceName(device, keys));
    }
    SessionId session = caller.session();
    if (session != null) {
      json.put("session", session(session.value()));
    }
    String account = caller.account();
    if (account != null) {
      json.put("account", account(account));
    }
    if (!caller.userAgent().isEmpty()) {
      String agent = caller.userAgent();
      json.put("ua", agent.length() > LONGEST_AGENT ? agent.substring(0, LONGEST_AGENT) : agent);
    }
  }

  String ip(ClientAddress address) {
    return keys.fingerprint("audit-ip", address.text());
  }

  String network(ClientAddress address) {
    return keys.fingerprint("audit-ip", address.network().text());
  }

  String session(String session) {
    return keys.fingerprint("audit-session", session);
  }

  String account(String account) {
    return keys.fingerprint("audit-account", account);
  }

  /// The member as it appears in the JSON of every event that has it.
  static String member(String name, String value) {
    String json = JsonText.object().put(name, value).toString();
    return json.substring(1, json.length() - 1);
  }
}
