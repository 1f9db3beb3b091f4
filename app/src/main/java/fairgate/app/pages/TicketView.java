package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.platform.http.Reply;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.QrSvg;
import fairgate.ticket.Ticket;
import gg.jte.html.HtmlContent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Renders tickets.
record TicketView(PageFrame frame) {
  /// The event of a ticket.
  ///
  /// @param venue empty for none
  record Event(String name, String venue, @Nullable Instant startsAt) {}

  /// A ticket as one of its holders sees it.
  ///
  /// @param code the text of the QR code; empty when this person has none
  /// @param holder to whom it is offered or was transferred; empty for nobody
  /// @param link with which it can be taken over; empty unless it is offered
  /// @param canTransfer whether tickets of the sale can be transferred now
  record Owned(Ticket ticket, String code, String holder, String link, boolean canTransfer) {}

  /// The tickets of an order.
  ///
  /// @param problem in the visitor's language; empty for none
  record Own(OrderId order, List<Owned> tickets, String problem) {}

  /// A ticket that somebody may take over.
  ///
  /// @param isGone whether somebody has
  record Offer(String link, String name, boolean isGone, String problem) {}

  /// What the template shows of a ticket.
  ///
  /// @param id of the element
  /// @param code as people read it; empty for none
  /// @param badge class in the style sheet
  /// @param more one sentence about the state; empty for none
  /// @param offers whether there is a form that offers it to somebody
  record Card(
      String id,
      int place,
      String title,
      String code,
      String qr,
      String badge,
      String state,
      String more,
      String link,
      boolean offers) {}

  /// What the template shows.
  ///
  /// @param order of which this is the buyer; empty on the page of a link
  /// @param facts venue and time
  record Shown(String title, List<String> facts, String order, List<Card> cards, String problem) {}

  Reply own(Visit visit, int status, Event event, Own own) {
    Wording w = visit.wording();
    List<Card> cards = new ArrayList<>();
    for (Owned each : own.tickets()) {
      cards.add(card(each, own.tickets().size(), w));
    }
    Shown shown =
        new Shown(
            event.name(),
            facts(event, visit.wording()),
            own.order().value(),
            List.copyOf(cards),
            own.problem());
    return tickets(visit, status, shown);
  }

  /// The tickets of an order for whoever has a link of a message to its buyer.
  Reply shared(Visit visit, Event event, List<Owned> tickets) {
    List<Card> cards = new ArrayList<>();
    for (Owned each : tickets) {
      cards.add(card(each, tickets.size(), visit.wording()));
    }
    return tickets(
        visit,
        200,
        new Shown(event.name(), facts(event, visit.wording()), "", List.copyOf(cards), ""));
  }

  /// The page of the person who took a ticket over.
  Reply linked(Visit visit, Event event, Owned ticket) {
    Wording w = visit.wording();
    boolean isUsed = ticket.ticket().use() != null;
    String state = entrance(ticket.ticket());
    Card card =
        new Card(
            "ticket",
            ticket.ticket().place(),
            ticket.holder(),
            ticket.code().isEmpty() ? "" : ticket.ticket().id().toString(),
            qr(ticket, w),
            state.equals("ticket.valid") ? "open" : "closed",
            w.text(state),
            isUsed ? used(ticket.ticket(), w) : w.text(state + ".more"),
            "",
            false);
    return tickets(
            visit,
            200,
            new Shown(event.name(), facts(event, visit.wording()), "", List.of(card), ""))
        .header("referrer-policy", "same-origin");
  }

  private Reply tickets(Visit visit, int status, Shown shown) {
    return page(
        visit, status, out -> JteticketsGenerated.render(out, null, visit.wording(), shown));
  }

  Reply offer(Visit visit, int status, Event event, Offer offer) {
    return page(
            visit,
            status,
            out ->
                JteticketOfferGenerated.render(
                    out, null, visit.wording(), event.name(), facts(event, visit.wording()), offer))
        .header("referrer-policy", "same-origin");
  }

  private Reply page(Visit visit, int status, HtmlContent content) {
    return frame
        .reply(
            visit, status, PageFrame.Content.plain(visit.wording().text("ticket.title"), content))
        .header("cache-control", "no-store");
  }

  private static Card card(Owned owned, int all, Wording w) {
    Ticket ticket = owned.ticket();
    String title =
        w.words()
            .text("ticket.number", "n", w.number(ticket.place()))
            .replace("{all}", w.number(all));
    String word =
        ticket.transferredAt() != null
            ? "ticket.transferred"
            : ticket.offered() && ticket.isPaid() ? "ticket.offered" : entrance(ticket);
    String more =
        switch (word) {
          case "ticket.used" -> used(ticket, w);
          case "ticket.valid" -> "";
          default -> w.words().text(word + ".more", "name", owned.holder());
        };
    return new Card(
        "ticket-" + ticket.place(),
        ticket.place(),
        title,
        owned.code().isEmpty() ? "" : ticket.id().toString(),
        qr(owned, w),
        word.equals("ticket.valid")
            ? "open"
            : word.equals("ticket.offered") ? "scheduled" : "closed",
        w.text(word),
        more,
        owned.link(),
        word.equals("ticket.valid") && owned.canTransfer());
  }

  private static String entrance(Ticket ticket) {
    if (ticket.use() != null) {
      return "ticket.used";
    }
    if (ticket.isPaid()) {
      return "ticket.valid";
    }
    return ticket.isDisputed() ? "ticket.disputed" : "ticket.void";
  }

  private static String used(Ticket ticket, Wording w) {
    Ticket.Use use = ticket.use();
    return use == null ? "" : w.time(use.at());
  }

  private static String qr(Owned owned, Wording w) {
    String label = w.text("ticket.qr").replace("\"", "");
    return owned.code().isEmpty()
        ? ""
        : QrSvg.of(owned.code(), "class=\"qr\" role=\"img\" aria-label=\"" + label + '"');
  }

  private static List<String> facts(Event event, Wording w) {
    List<String> facts = new ArrayList<>();
    if (event.startsAt() != null) {
      facts.add(w.time(event.startsAt()));
    }
    if (!event.venue().isEmpty()) {
      facts.add(event.venue());
    }
    return List.copyOf(facts);
  }
}
