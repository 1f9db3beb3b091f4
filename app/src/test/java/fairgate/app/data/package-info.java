/// Commands on the data of a server.
@NullMarked
package fairgate.app.data;

import org.jspecify.annotations.NullMarked;
