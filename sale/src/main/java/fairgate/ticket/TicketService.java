package fairgate.ticket;

import fairgate.catalog.Catalog;
import fairgate.catalog.ProductContent.Tickets;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.KeySeal;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.json.Jws;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// The tickets of buyers and their transfers. Blocks: for virtual threads.
public final class TicketService {
  /// How often a ticket may be offered to somebody. It is transferred once.
  private static final int MAX_OFFERS = 10;

  private static final String SEAL_PURPOSE = "ticket-holder";
  private static final String TAKER_PURPOSE = "fairgate/ticket-taker";

  private final PostgresTickets tickets;
  private final TicketKeys keys;
  private final TicketLinks links;
  private final KeySeal seal;
  private final KeyRing ring;
  private final Catalog catalog;
  private final Ids ids;
  private final Clock clock;

  TicketService(
      PostgresTickets tickets,
      TicketKeys keys,
      KeyRing ring,
      Catalog catalog,
      Ids ids,
      Clock clock) {
    this.tickets = tickets;
    this.keys = keys;
    this.links = new TicketLinks(ring);
    this.seal = new KeySeal(ring, ids, SEAL_PURPOSE);
    this.ring = ring;
    this.catalog = catalog;
    this.ids = ids;
    this.clock = clock;
  }

  /// What the holder of a link sees.
  public sealed interface Linked {
    Ticket ticket();

    record Offered(Ticket ticket, String name) implements Linked {}

    /// Somebody has taken the ticket over with this link.
    record Gone(Ticket ticket) implements Linked {}

    record Own(Ticket ticket) implements Linked {}
  }

  /// Whether buyers of the product get tickets. From memory.
  public boolean isOffered(ProductId product) {
    return rules(product).isPresent();
  }

  /// Whether tickets of the product can be transferred now. From memory.
  public boolean canTransfer(ProductId product) {
    return rules(product).map(Tickets::transferUntil).filter(clock.instant()::isBefore).isPresent();
  }

  private Optional<Tickets> rules(ProductId product) {
    return catalog.find(product).map(found -> found.content().tickets());
  }

  /// The tickets of a paid order; makes those that it has not got yet. Empty when the product has
  /// none, and while the ledger has not recorded the payment.
  public List<Ticket> of(OrderId order) {
    if (!isOffered(order.product())) {
      return List.of();
    }
    List<Ticket> found = tickets.of(order);
    int units = tickets.units(order);
    if (found.size() >= units) {
      return found;
    }
    tickets.issue(order, Stream.generate(() -> TicketId.random(ids)).limit(units).toList());
    return tickets.of(order);
  }

  public String code(Ticket ticket) {
    return keys.sign(ticket.order().product(), ticket.id());
  }

  /// The name of the person to whom the ticket is offered or was transferred; empty for none.
  public String holder(Ticket ticket) {
    return Optional.ofNullable(ticket.holder())
        .flatMap(box -> seal.open(sealId(ticket.order(), ticket.place()), box))
        .map(name -> new String(name, StandardCharsets.UTF_8))
        .orElse("");
  }

  private static String sealId(OrderId order, int place) {
    return order.value() + '/' + place;
  }

  /// Offers a ticket to a person. The caller has checked the name. False if the ticket cannot be
  /// transferred, or was offered ten times.
  public boolean offer(OrderId order, int place, String name) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return canTransfer(order.product())
        && tickets.offer(
            order, place, seal.seal(sealId(order, place), text), MAX_OFFERS, TicketId.random(ids));
  }

  /// Ends an offer. A repeat changes nothing. False if somebody has taken the ticket over.
  public boolean withdraw(OrderId order, int place) {
    return tickets.withdraw(order, place);
  }

  public String offerLink(Ticket ticket) {
    return links.make(
        TicketLinks.Kind.OFFER, Objects.requireNonNull(ticket.offerId()), ticket.offers());
  }

  public String ownLink(Ticket ticket) {
    return links.make(TicketLinks.Kind.OWN, ticket.id(), ticket.offers());
  }

  /// What a link shows; empty for links that were not made here or whose offer has ended.
  public Optional<Linked> open(String text) {
    return links
        .parse(text)
        .flatMap(link -> tickets.linked(link.id()).flatMap(ticket -> opened(link, ticket)));
  }

  private Optional<Linked> opened(TicketLinks.Link link, Ticket ticket) {
    boolean isOffer =
        link.id().equals(ticket.offerId())
            && links.isValid(link, TicketLinks.Kind.OFFER, ticket.offers());
    if (isOffer && ticket.transferredAt() != null) {
      return Optional.of(new Linked.Gone(ticket));
    }
    if (isOffer && ticket.offered() && ticket.isPaid() && canTransfer(ticket.order().product())) {
      return Optional.of(new Linked.Offered(ticket, holder(ticket)));
    }
    return ticket.transferredAt() != null
            && link.id().equals(ticket.id())
            && links.isValid(link, TicketLinks.Kind.OWN, ticket.offers())
        ? Optional.of(new Linked.Own(ticket))
        : Optional.empty();
  }

  /// Takes over the ticket of an offer's link, and returns the link of the new holder. A repeat by
  /// the same browser returns the same link, so a lost reply does no harm. Empty if the offer has
  /// ended or another browser was faster.
  public Optional<String> takeOver(String text, DeviceId device) {
    Linked linked = open(text).orElse(null);
    if (linked instanceof Linked.Offered(Ticket ticket, _)) {
      boolean _ =
          tickets.takeOver(
              ticket.id(), ticket.offers(), TicketId.random(ids), taker(ticket, device));
    }
    return open(text)
        .filter(after -> after instanceof Linked.Gone && isTaker(after.ticket(), device))
        .map(after -> ownLink(after.ticket()));
  }

  public boolean isTaker(Ticket ticket, DeviceId device) {
    return taker(ticket, device).equals(ticket.taker());
  }

  private String taker(Ticket ticket, DeviceId device) {
    return ring.fingerprint(
        TAKER_PURPOSE, sealId(ticket.order(), ticket.place()) + '/' + device.value());
  }

  /// Erases the names on the tickets of an order. A repeat changes nothing.
  public void erase(OrderId order) {
    tickets.erase(order);
  }

  /// Erases the names that these buyers gave.
  public void eraseOf(Collection<String> users) {
    tickets.eraseOf(users);
  }

  /// The public keys that verify the QR codes of a product, as a JWK set.
  public byte[] keys(ProductId product) {
    return keys.jwks(product);
  }

  public TicketCounts counts(ProductId product) {
    return tickets.counts(product);
  }

  /// Tickets that must not be admitted again: checked in, transferred, or of orders that are not
  /// paid any more. Ordered by id.
  ///
  /// @param since only those that changed at this time or later
  /// @param after the last id of the page before, the former one of a transferred ticket; empty for
  ///   the first page
  public List<Ticket> blocked(ProductId product, Instant since, String after, int limit) {
    return tickets.blocked(product, since, after, limit);
  }

  /// The links that are given to people, `/t/{link}`: who has one may take over a ticket that is
  /// offered, or shows a ticket that was taken over. A link is the id of the offer or of the
  /// ticket, the id of a master key, and the first 16 bytes of an HMAC-SHA256, separated by dots.
  record TicketLinks(KeyRing keys) {
    private static final String PURPOSE = "fairgate/ticket-link";
    private static final int MAC = 16;
    private static final int MAX_LENGTH = 200;

    enum Kind {
      OFFER,
      OWN
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Link(TicketId id, String keyId, byte[] mac) {}

    /// @param id of the offer, or of the ticket for its new holder: an offer's link must not show
    ///   the id that admits its holder
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

  /// How many tickets of a sale there are.
  ///
  /// @param valid of paid orders, checked in or not
  /// @param used checked in
  /// @param at PostgreSQL's time of these figures
  public record TicketCounts(long valid, long used, Instant at) {}
}
