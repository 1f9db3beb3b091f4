package fairgate.ticket;

import fairgate.kernel.KeyRing;
import fairgate.room.token.Jws;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;

/// The links that are given to people, `/t/{link}`: who has one may take over a ticket that is
/// offered, or shows a ticket that was taken over. A link is the id of the offer or of the ticket,
/// the id of a master key, and the first 16 bytes of an HMAC-SHA256, separated by dots.
final class TicketLinks {
  private static final String PURPOSE = "fairgate/ticket-link";
  private static final int MAC = 16;
  private static final int MAX_LENGTH = 200;

  private final KeyRing keys;

  TicketLinks(KeyRing keys) {
    this.keys = keys;
  }

  /// What a link permits.
  enum Kind {
    OFFER,
    OWN
  }

  /// The parts of a link.
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Link(TicketId id, String keyId, byte[] mac) {}

  /// @param id of the offer, or of the ticket for its new holder: an offer's link must not show the
  ///   id that admits its holder
  /// @param offer the number of the ticket's offer
  String make(Kind kind, TicketId id, int offer) {
    String keyId = keys.current();
    return id.value() + '.' + keyId + '.' + Jws.encoded(mac(keyId, kind, id, offer));
  }

  /// The parts of a link whose signature is not checked yet; empty for any other text.
  Optional<Link> parse(String text) {
    String[] parts = text.length() > MAX_LENGTH ? new String[0] : text.split("\\.", -1);
    return parts.length == 3 && TicketId.isValid(parts[0]) && keys.knows(parts[1])
        ? Jws.decoded(parts[2]).map(mac -> new Link(new TicketId(parts[0]), parts[1], mac))
        : Optional.empty();
  }

  /// Whether this server made the link for this use, compared in constant time.
  boolean isValid(Link link, Kind kind, int offer) {
    return MessageDigest.isEqual(mac(link.keyId(), kind, link.id(), offer), link.mac());
  }

  private byte[] mac(String keyId, Kind kind, TicketId id, int offer) {
    String message = kind.name() + '/' + id.value() + '/' + offer;
    return Arrays.copyOf(keys.sign(keyId, PURPOSE, message), MAC);
  }
}
