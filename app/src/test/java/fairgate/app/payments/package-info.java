/// Payment providers through the whole server.
@NullMarked
package fairgate.app.payments;

import org.jspecify.annotations.NullMarked;
