//! ICReq and ICResp: what a host asks of a connection, and whether the answer is one.

use fathom_spec::fabrics::pdu::{
    InitializeRequest, InitializeResponse, Kind, LEAST_HOST_DATA, MOST_ALIGNMENT, WITH_DATA_DIGEST,
    WITH_HEADER_DIGEST, blank,
};

use crate::framing::{FatalError, Fault, Framing, Item};

/// The first PDU of a connection.
pub fn request(wished: &Framing) -> Item {
    let mut header: InitializeRequest = blank();
    header.dgst = wished.digests();
    Item::new(&Framing::default(), (Kind::InitializeRequest, 0), &header, None, None)
}

/// What holds for the connection, and the bytes of data that one H2CData may carry.
///
/// # Errors
/// Where the answer has values that are not allowed, or digests other than those asked for.
pub fn agreed(wished: &Framing, answer: &InitializeResponse) -> Result<(Framing, u32), FatalError> {
    if answer.pfv.get() != 0 {
        return Err(Fault::FormatVersion.into());
    }
    if answer.cpda > MOST_ALIGNMENT {
        return Err(Fault::Alignment.into());
    }
    if answer.dgst & (WITH_HEADER_DIGEST | WITH_DATA_DIGEST) != wished.digests() {
        return Err(Fault::DigestsAgreed.into());
    }
    let most_data = answer.maxh2cdata.get();
    if most_data < LEAST_HOST_DATA || !most_data.is_multiple_of(4) {
        return Err(Fault::DataLimit.into());
    }
    let sent_alignment = (usize::from(answer.cpda) + 1) * 4;
    Ok((Framing { sent_alignment, ..*wished }, most_data))
}
